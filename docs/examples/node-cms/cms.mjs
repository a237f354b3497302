// A small CMS in one file with the AI chat in its backend: `CODE=<pairing code> node cms.mjs`. Its users log in without a
// password, and its records are kept in cms.json: a real CMS has its own login and its own database in these two places.
import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { connect, keyFiles, Refused } from 'backend-ai-chat-node'

const { PORT: port = '4000', DATA: file = 'cms.json', CODE: code } = process.env
const base = `http://127.0.0.1:${port}`
const users = [
  { id: 1, username: 'anna', name: 'Anna Admin', isAdmin: true, groups: ['admin'], lang: 'en' },
  { id: 2, username: 'emil', name: 'Emil Editor', isAdmin: false, groups: ['editor'], lang: 'en' },
]
/** @type {import('backend-ai-chat-node').TypeOf} */
const articles = {
  name: 'articles',
  label: 'Articles',
  title: 'title',
  mayModify: true,
  fields: [
    { name: 'title', label: 'Title', kind: 'text', required: true, max: 120 },
    { name: 'body', label: 'Text', kind: 'longtext' },
    { name: 'status', label: 'Status', kind: 'select', options: ['draft', 'published'] },
  ],
}
const first = { id: 1, author: 2, title: 'Aurora lamp', body: 'Made of oak.', status: 'published' }
const start = { articles: [{ ...first, version: 1, changedAt: Date.now() }], next: 2 }
const data = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : start

// Everybody reads what is published; drafts are for their author and for administrators.
function entriesOf(user) {
  return data.articles.flatMap(({ id, version, changedAt, author, ...values }) => {
    const mayEdit = user.isAdmin || author === user.id
    const state = { version: `${version}`, changedAt: new Date(changedAt), mayEdit }
    const isSeen = values.status === 'published' || mayEdit
    return isSeen ? { type: 'articles', id, ...state, values, addresses: [`/${id}`] } : []
  })
}

const hasWords = (value, words) => words.split(' ').every((word) => value.includes(word))
function save() {
  writeFileSync(`${file}.part`, JSON.stringify(data))
  renameSync(`${file}.part`, file)
}

/** @type {import('backend-ai-chat-node').Adapter} */
const adapter = {
  name: 'Small CMS',
  version: '1.0',
  publishing: { field: 'status', shown: ['published'], hidden: 'draft' },
  origins: [base],
  keys: keyFiles(`${file}-keys`),
  user: async (id) => users.find((user) => user.id === id),
  users: async () => users.map((user) => ({ ...user, disabled: false })),
  types: async () => [articles],
  read: async (user, _type, id) => entriesOf(user).find((it) => it.id === id),
  list: async (user, _type, { limit, offset }) => {
    const all = entriesOf(user)
    return { entries: all.slice(offset, offset + limit), total: all.length }
  },
  search: async (user, text, { limit }) =>
    entriesOf(user)
      .filter(({ values: { title, body } }) => hasWords(`${title} ${body}`.toLowerCase(), text.toLowerCase()))
      .sort((one, other) => Number(other.changedAt) - Number(one.changedAt))
      .slice(0, limit),
  check: async (_user, { values }) => {
    if (/<script/i.test(String(values.body))) throw new Refused('A text holds no scripts. Leave them out.')
    return values
  },
  async put(user, { id, version, values }) {
    const made = { id: data.next, author: user.id, title: '', body: '', version: 0 }
    const article = id === null ? made : data.articles.find((it) => it.id === id)
    if (id !== null && version !== `${article?.version}`) return undefined
    Object.assign(article, values, { version: article.version + 1, changedAt: Date.now() })
    if (id === null) Object.assign(data, { articles: [...data.articles, article], next: article.id + 1 })
    save()
    return entriesOf(user).find((it) => it.id === article.id)
  },
  async remove(_user, { id, version }) {
    const article = data.articles.find((it) => it.id === id)
    if (version !== `${article?.version}`) return undefined
    data.articles = data.articles.filter((it) => it !== article)
    save()
    return true
  },
}
const chat = connect(adapter, { code, base })

const sessions = new Map()
const escaped = (text) => String(text).replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`)
const formTo = (path, name, inputs = '') =>
  `<form method="post" action="${path}">${inputs}<button>${escaped(name)}</button></form>`
const back = (cookie = {}) => [303, { location: '/edit', ...cookie }, '']
const page = (title, body) => [
  200,
  { 'content-type': 'text/html; charset=utf-8' },
  `<!doctype html><html lang="en"><title>${title}</title><h1>${title}</h1>${body}</html>`,
]

/** Answers status, headers and body of a path by its method: the backend of this CMS. */
const routes = {
  'POST /login'({ uid }) {
    const [session, user] = [randomUUID(), users.find(({ id }) => id === uid)]
    sessions.set(session, user)
    return back({ 'set-cookie': `session=${session}; HttpOnly; SameSite=Strict; Path=/` })
  },
  async 'POST /logout'({ user, session }) {
    sessions.delete(session)
    if (user) await chat.end(user.id, session)
    return back()
  },
  'POST /statement'({ user, session }) {
    const [status, body] = user ? [200, { token: chat.statement(user.id, session) }] : [401, {}]
    return [status, { 'content-type': 'application/json', 'cache-control': 'no-store' }, JSON.stringify(body)]
  },
  async 'POST /save'({ user, uid, form: { version, title, body } }) {
    const entry = user && (await adapter.read(user, 'articles', uid))
    const change = { type: 'articles', id: uid, version, values: { title, body }, run: '' }
    const saved = entry?.mayEdit && (await adapter.put(user, change))
    return saved ? back() : [409, {}, 'It was not saved: somebody was first']
  },
  'GET /edit'({ user, uid }) {
    if (!user) return page('Log in', users.map(({ id, name }) => formTo(`/login?uid=${id}`, name)).join(''))
    const link = ({ id, values }) => `<li><a href="/edit?uid=${id}">${escaped(values.title)}</a></li>`
    const { id, version, values = {} } = entriesOf(user).find(({ id }) => id === uid) ?? {}
    const title = escaped(values.title ?? 'Articles')
    const inputs = `<input type="hidden" name="version" value="${version}"><input name="title"
      aria-label="Title" value="${title}"><textarea name="body" aria-label="Text">${escaped(values.body)}</textarea>`
    const list = `<ul>${entriesOf(user).map(link).join('')}</ul>`
    const body = id ? formTo(`/save?uid=${id}`, 'Save', inputs) : list
    const place = id && { page: id, table: 'articles', title: values.title }
    const shown = { sessionUrl: '/statement', recordHref: '/edit?table={table}&uid={uid}', toggle: '#chat' }
    const button = '<button type="button" id="chat">AI chat</button>'
    return page(title, body + button + formTo('/logout', 'Log out') + chat.tag({ ...shown, ...place }))
  },
}

async function serve(request, response) {
  if (await chat.handle(request, response)) return
  const { pathname, searchParams } = new URL(base + request.url)
  const [, session = ''] = /session=([\w-]+)/.exec(request.headers.cookie ?? '') ?? []
  const route = routes[`${request.method} ${pathname}`] ?? (() => [404, {}, 'Not found'])
  const form = Object.fromEntries(new URLSearchParams(await text(request)))
  const asked = { session, form, user: sessions.get(session), uid: Number(searchParams.get('uid')) }
  const [status, headers, body] = await route(asked)
  response.writeHead(status, headers).end(body)
}
const server = createServer((request, response) => serve(request, response).catch(console.error))
server.listen(Number(port), '127.0.0.1', () => console.log(`The CMS is at ${base}/edit`))
