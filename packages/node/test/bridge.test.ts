import { randomUUID } from 'node:crypto'
import { jwtVerify } from 'jose'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ToolError } from '../../../core/base/error.ts'
import { bridge } from '../../../core/cms/bridge/bridge.ts'
import { newCode, pairingOf } from '../../../core/cms/bridge/pairing.ts'
import { runKit } from '../../../scripts/connect/kit/kit-run.ts'
import { type Site, startSite } from './site.ts'

const code = newCode('http://127.0.0.1:3000')
const pairing = pairingOf(code) as NonNullable<ReturnType<typeof pairingOf>>

let site: Site
beforeAll(async () => {
  site = await startSite(code)
})
afterAll(() => site?.close())

const line = () => ({ url: site.base, keyId: pairing.keyId, secret: pairing.bridgeKey })
const post = (path: string, cookie = '') =>
  fetch(`${site.base}${path}`, { method: 'POST', redirect: 'manual', headers: { cookie } })
const login = async (uid: number) =>
  (await post(`/login?uid=${uid}`)).headers.get('set-cookie')?.split(';')[0] ?? ''

test('the skeleton keeps every sentence of the protocol, and nothing of the kit is left', async () => {
  const { results, lacks, left } = await runKit(bridge(line()), { writer: 1, limited: 2 }, { line: line() })

  expect(results.filter(({ end }) => end === 'broken')).toEqual([])
  expect(results.filter(({ end }) => end === 'kept').length).toBeGreaterThan(35)
  expect([lacks, left]).toEqual([
    [
      'tree',
      'home',
      'locales',
      'history',
      'revisions',
      'locks',
      'media',
      'pictures',
      'log',
      'exceptions',
      'abilities',
      'parts',
      'state',
      'times',
      'place',
      'bin',
      'restore',
    ],
    [],
  ])
})

test('a put that was made is made once, also after the process has ended', async () => {
  const cms = bridge(line())
  const anna = await cms.userNamed('1')
  if (!anna) throw new Error('There is no Anna')
  const put = { table: 'articles', uid: null, place: { pid: 0 }, fields: { title: 'Autumn', body: 'Leaves' } }
  const asked = { put, key: randomUUID(), correlationId: 'run', versions: [], now: Date.now() }
  const first = await cms.put(anna, asked)
  await site.restart()

  expect(await cms.put(anna, asked)).toMatchObject({ state: 'done', uid: 'uid' in first ? first.uid : '' })
  const { records } = (await cms.list(anna, { table: 'articles', limit: 10, offset: 0 })) ?? {}
  expect(records?.map(({ title, hidden }) => [title, hidden])).toEqual([
    ['Aurora lamp', false],
    ['Autumn', true],
  ])
})

test.each([
  ['a value of another kind', { title: 7 }, 'The field title takes a text.'],
  [
    'a text that is too long',
    { title: 'a'.repeat(121) },
    'The field title takes at most 120 characters; these are 121.',
  ],
  ['an empty title', { title: '' }, 'The field title has to have a value.'],
  [
    'a field that is not there',
    { colour: 'red' },
    'There is no field colour in articles. Its fields are title, body, status.',
  ],
  ['what the CMS itself refuses', { body: '<script>' }, 'A text holds no scripts. Leave them out.'],
  [
    'an option that is not there',
    { status: 'secret' },
    'The field status takes one of these: draft, published.',
  ],
])('%s is refused in words for the model', async (_, fields, sentence) => {
  const cms = bridge(line())
  const anna = await cms.userNamed('1')
  const put = { table: 'articles', uid: null, place: { pid: 0 }, fields }
  const shown = anna && cms.put(anna, { put, dry: true, versions: [] })

  await expect(shown).rejects.toThrow(new ToolError(sentence))
})

test('a statement names the user who is logged in, and nobody else gets one', async () => {
  const cookie = await login(2)
  const { token } = await (await post('/statement', cookie)).json()
  const { payload } = await jwtVerify(token, new TextEncoder().encode(pairing.exchangeKey), {
    audience: 'ai-chat',
  })

  expect(payload).toMatchObject({
    iss: pairing.keyId,
    sub: '2',
    sid: expect.stringMatching(/^[0-9a-f]{64}$/),
  })
  expect((await post('/statement')).status).toBe(401)
  await post('/logout', cookie)
  expect((await post('/statement', cookie)).status).toBe(401)
})

test('its code fits the types of the kit', async () => {
  expect(await site.typeMistakes()).toBe('')
})

test('the panel comes by a tag whose values are escaped', async () => {
  const cms = bridge(line())
  const anna = await cms.userNamed('1')
  const put = { table: 'articles', uid: null, place: { pid: 0 }, fields: { title: 'A "lamp" <b>' } }
  const made =
    anna &&
    (await cms.put(anna, { put, key: randomUUID(), correlationId: 'run', versions: [], now: Date.now() }))
  const uid = made && 'uid' in made ? made.uid : 0
  const answer = await fetch(`${site.base}/edit?uid=${uid}`, { headers: { cookie: await login(1) } })

  expect(await answer.text()).toContain(
    `<script type="module" src="http://127.0.0.1:3000/backend/embed.js" data-session-url="/statement" data-record-href="/edit?table={table}&#38;uid={uid}" data-toggle="#chat" data-page="${uid}" data-table="articles" data-title="A &#34;lamp&#34; &#60;b&#62;"></script>`,
  )
})
