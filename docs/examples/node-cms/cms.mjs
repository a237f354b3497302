// A small CMS in one file with the AI chat in its backend: `CODE=<pairing code> node cms.mjs`. Its users log in without a
// password, and its records are kept in cms.json: a real CMS has its own login and its own database in these two places.
import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { connect, keyFiles, Refused } from 'backend-ai-chat-node'

const port = Number(process.env.PORT ?? 4000)
const base = `http://127.0.0.1:${port}`
const file = process.env.DATA ?? 'cms.json'
const users = [
  { id: 1, username: 'anna', name: 'Anna Admin', isAdmin: true, groups: ['admin'], lang: 'en' },
  { id: 2, username: 'emil', name: 'Emil Editor', isAdmin: false, groups: ['editor'], lang: 'en' },
]
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

const data = existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')) : { articles: [], next: 1 }

// Everybody reads what is published; drafts are for their author and for administrators.
const mayEdit = (user, article) => user.isAdmin || article.author === user.id
const seenBy = (user) => data.articles.filter((it) => it.status === 'published' || mayEdit(user, it))
const entryOf = (user) => (article) => {
  const { id, version, changedAt, author: _, ...values } = article
  const head = { type: 'articles', id, version: `${version}`, changedAt: new Date(changedAt) }
  return { ...head, values, mayEdit: mayEdit(user, article), addresses: [`/${id}`] }
}

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
  read: async (user, _type, id) =>
    seenBy(user)
      .filter((it) => it.id === id)
      .map(entryOf(user))[0],
  list: async (user, _type, { limit, offset }) => ({
    entries: seenBy(user)
      .slice(offset, offset + limit)
      .map(entryOf(user)),
    total: seenBy(user).length,
  }),
  search: async (user, text, { limit }) => {
    const found = seenBy(user).filter(({ title, body }) =>
      `${title} ${body}`.toLowerCase().includes(text.toLowerCase()),
    )
    return found
      .sort((one, other) => other.changedAt - one.changedAt)
      .slice(0, limit)
      .map(entryOf(user))
  },
  async put(user, { id, version, values }) {
    const now = { ...values, changedAt: Date.now() }
    if (id === null)
      data.articles.push({ id: data.next++, author: user.id, title: '', body: '', version: 1, ...now })
    const article = id === null ? data.articles.at(-1) : data.articles.find((it) => it.id === id)
    if (!mayEdit(user, article)) throw new Refused('Another author wrote this article.')
    if (id !== null && version !== `${article.version}`) return undefined
    if (id !== null) Object.assign(article, now, { version: article.version + 1 })
    save()
    return entryOf(user)(article)
  },
  async remove(_user, { id, version }) {
    const article = data.articles.find((it) => it.id === id)
    if (version !== `${article.version}`) return undefined
    data.articles = data.articles.filter((it) => it !== article)
    save()
    return true
  },
}
const chat = connect(adapter, { code: process.env.CODE, base })

const sessions = new Map()
const escaped = (text) => String(text).replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`)
const buttonTo = (path, name) =>
  `<form method="post" action="${path}"><button>${escaped(name)}</button></form>`
const back = (cookie = {}) => [303, { location: '/edit', ...cookie }, '']
const page = (title, body) => [
  200,
  { 'content-type': 'text/html; charset=utf-8' },
  `<!doctype html><html lang="en"><title>${title}</title><h1>${title}</h1>${body}</html>`,
]

/** Answers status, headers and body of a path by its method: the backend of this CMS. */
const routes = {
  'POST /login'({ uid }) {
    const session = randomUUID()
    sessions.set(
      session,
      users.find(({ id }) => id === uid),
    )
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
  'GET /edit'({ user, uid }) {
    if (!user) return page('Log in', users.map(({ id, name }) => buttonTo(`/login?uid=${id}`, name)).join(''))
    const all = seenBy(user)
    const open = all.find(({ id }) => id === uid)
    const place = open && { page: uid, table: 'articles', title: open.title }
    const tag = chat.tag({
      sessionUrl: '/statement',
      recordHref: '/edit?table={table}&uid={uid}',
      toggle: '#chat',
      ...place,
    })
    const list = all
      .map(({ id, title }) => `<li><a href="/edit?uid=${id}">${escaped(title)}</a></li>`)
      .join('')
    const body = open ? `<p>${escaped(open.body)}</p><p>${escaped(open.status)}</p>` : `<ul>${list}</ul>`
    const buttons = `<button type="button" id="chat">AI chat</button>${buttonTo('/logout', 'Log out')}`
    return page(open ? escaped(open.title) : 'Articles', body + buttons + tag)
  },
}

const server = createServer(async (request, response) => {
  if (await chat.handle(request, response)) return
  const { pathname, searchParams } = new URL(request.url, base)
  const [, session = ''] = /session=([\w-]+)/.exec(request.headers.cookie ?? '') ?? []
  const route = routes[`${request.method} ${pathname}`] ?? (() => [404, {}, 'Not found'])
  const asked = { session, user: sessions.get(session), uid: Number(searchParams.get('uid')) }
  const [status, headers, body] = await route(asked)
  response.writeHead(status, headers).end(body)
})
server.listen(port, '127.0.0.1', () => console.log(`The CMS is at ${base}/edit`))
