import { randomUUID } from 'node:crypto'
import { jwtVerify } from 'jose'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ToolError } from '../../core/base/error.ts'
import { bridge } from '../../core/cms/bridge/bridge.ts'
import { newCode, pairingOf } from '../../core/cms/bridge/pairing.ts'
import { runKit } from '../../scripts/connect/kit/kit-run.ts'

/** A small CMS from a skeleton, in whatever language. */
export type SmallCms = {
  base: string
  /** Ends the process and starts another one on the same data. */
  restart(): Promise<void>
  close(): Promise<void>
}

const code = newCode('http://127.0.0.1:3000')
const pairing = pairingOf(code) as NonNullable<ReturnType<typeof pairingOf>>

let site: SmallCms
const line = () => ({ url: site.base, keyId: pairing.keyId, secret: pairing.bridgeKey })
const post = (path: string, cookie = '', body = new URLSearchParams()) =>
  fetch(`${site.base}${path}`, { method: 'POST', redirect: 'manual', headers: { cookie }, body })
const login = async (uid: number) =>
  (await post(`/login?uid=${uid}`)).headers.get('set-cookie')?.split(';')[0] ?? ''

/** HTML whose entities have their names. */
const withNames = (html: string) =>
  html
    .replaceAll('&#38;', '&amp;')
    .replaceAll('&#34;', '&quot;')
    .replaceAll('&#60;', '&lt;')
    .replaceAll('&#62;', '&gt;')

/** Tests a small CMS that `start` starts, paired by a code. */
export function testSmallCms(start: (code: string) => Promise<SmallCms>): void {
  beforeAll(async () => {
    site = await start(code)
  })
  afterAll(() => site?.close())

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
    const put = {
      table: 'articles',
      uid: null,
      place: { pid: 0 },
      fields: { title: 'Autumn', body: 'Leaves' },
    }
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

  test('a person saves a form that has seen the last change, and no other', async () => {
    const cookie = await login(1)
    const page = await (await fetch(`${site.base}/edit?uid=1`, { headers: { cookie } })).text()
    const [, version = ''] = /name=.version. value=.(\d+)/.exec(page) ?? []
    const body = new URLSearchParams({ version, title: 'Aurora lamp', body: 'Made of ash.' })
    const saved = await post('/save?uid=1', cookie, body)
    const late = await post('/save?uid=1', cookie, body)

    expect([saved.status, late.status]).toEqual([303, 409])
    const cms = bridge(line())
    const anna = await cms.userNamed('1')
    expect(anna && (await cms.record(anna, { table: 'articles', uid: 1 }))?.fields.body).toBe('Made of ash.')
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

    expect(withNames(await answer.text())).toContain(
      `<script type="module" src="http://127.0.0.1:3000/backend/embed.js" data-session-url="/statement" data-record-href="/edit?table={table}&amp;uid={uid}" data-toggle="#chat" data-page="${uid}" data-table="articles" data-title="A &quot;lamp&quot; &lt;b&gt;"></script>`,
    )
  })
}
