import { createHash } from 'node:crypto'
import { beforeEach, describe, expect, test } from 'vitest'
import { config } from '../../../../core/base/config.ts'
import { readingOf } from '../../../../core/chat/mcp-server/offers.ts'
import type { Program } from '../../../../core/chat/mcp-server/program.ts'
import type { ListAnswer, PictureAnswer, PromptsAnswer } from '../../../../core/chat/request.ts'
import { eraseUser } from '../../../../core/chat/user-data/erase.ts'
import { exportUser } from '../../../../core/chat/user-data/export.ts'
import {
  type CreatedTokenAnswer,
  maxTokens,
  type TokensAnswer,
} from '../../../../core/user/access-token/schema.ts'
import { find, takeCall, tokenLimits } from '../../../../core/user/access-token/token.ts'
import { entries } from '../../../../core/user/audit.ts'
import * as Exchanged from '../../../../core/user/session/exchanged.ts'
import { seedPictures } from '../../../../infra/local/seed/content.ts'
import { bench, benched, editor, logInAgain } from '../../../support/benched.ts'
import type { User } from '../../../support/live.ts'
import { fetchOf, program, type Speech } from '../../../support/program.ts'

/** The chat's own tools for another assistant of the user, asked with the client of the protocol's own package. */

const offered = { accessTokens: { trustZone: 'internal' as const } }
benched(offered)
beforeEach(async () => {
  const { body } = await editor.get<TokensAnswer>('/access-tokens')
  for (const { id } of body.tokens) await editor.ask('/ai-chat/access-tokens/revoke', { body: { id } })
})

async function tokenOf(user: User = editor): Promise<string> {
  const { status, body } = await user.ask<CreatedTokenAnswer>('/ai-chat/access-tokens/create', {
    body: { name: 'Laptop', days: 30 },
  })
  expect(status).toBe(201)
  return body.token
}

const textOf = (result: unknown) =>
  (result as { content: { text: string }[] }).content.map(({ text }) => text).join('\n')

const change = { table: 'news', uid: 2, fields: { title: 'A title of another assistant' } }

const conversations = async (user: User) => (await user.get<ListAnswer>('/conversations')).body.conversations

describe.each<[Speech, string]>([
  ['newest', '2026-07-28'],
  ['older', '2025-11-25'],
])('in the %s version of the protocol', (speech, version) => {
  test('a program has the tools that its user has, and reads at once', async () => {
    const client = await program(bench.handler, await tokenOf(), speech)
    expect(client.getNegotiatedProtocolVersion()).toBe(version)
    expect(client.getInstructions()).toContain('never an instruction')
    expect(client.getInstructions()).not.toContain('new:1')

    const { tools } = await client.listTools()
    expect(tools.map(({ name, annotations }) => [name, annotations?.readOnlyHint])).toEqual([
      ['get_page_tree', true],
      ['get_page_content', true],
      ['search_records', true],
      ['list_records', true],
      ['get_record', true],
      ['get_record_history', true],
      ['list_files', true],
      ['where_used', true],
      ['compare_versions', true],
      ['find_page_by_address', true],
      ['describe_table', true],
      ['check_site', true],
      ['find_media', true],
      ['view_image', true],
      ['update_record', false],
      ['create_page_draft', false],
      ['create_content_draft', false],
      ['replace_text', false],
      ['update_records', false],
      ['set_state', false],
      ['move_record', false],
      ['restore_version', false],
      ['attach_media', false],
      ['translate_record', false],
      ['create_records', false],
      ['delete_record', false],
      ['undelete_record', false],
      ['duplicate_record', false],
    ])
    const result = await client.callTool({
      name: 'get_record',
      arguments: { table: 'news', uid: 2 },
    })
    expect(result.isError).toBe(false)
    expect(textOf(result)).toMatch(/^<data-([0-9a-f]{24}) source="get_record">[\s\S]*<\/data-\1>$/)
    await client.close()
  })

  test('a write waits in the chat of the user, and happens after the approval there', async () => {
    const before = await bench.field('news', 2)
    const client = await program(bench.handler, await tokenOf(), speech)
    const result = await client.callTool({ name: 'update_record', arguments: change })
    expect(result.isError).toBe(false)
    const waiting = (await conversations(editor)).find(({ status }) => status === 'processing')
    expect(textOf(result)).toContain('Nothing has been changed.')
    expect(textOf(result)).toContain(waiting?.id)
    expect(waiting?.title).toBe('A program proposes over the access token “Laptop”: Change a record')

    await bench.settle()
    expect(bench.api.requests).toEqual([])
    const id = waiting?.id ?? ''
    const { conversation, pendingApproval } = await editor.poll(id)
    expect(conversation.status).toBe('awaiting_approval')
    expect(pendingApproval?.calls.map(({ tool, preview }) => [tool, preview?.changes])).toEqual([
      ['update_record', [{ field: 'title', label: 'Title', before, after: change.fields.title }]],
    ])
    expect(await bench.field('news', 2)).toBe(before)

    bench.api.reply({ text: 'It is changed.' })
    await editor.decide(id, true)
    await bench.settle()
    expect(await bench.field('news', 2)).toBe(change.fields.title)
    const { messages } = await editor.poll(id)
    expect(messages.map(({ role, outcome }) => outcome ?? role)).toEqual([
      'user',
      'assistant',
      'done',
      'assistant',
    ])
    await bench.edit('news', 2, { title: before })
    await client.close()
  })
})

describe.each<Speech>(['newest', 'older'])('beside its tools, in the %s version, a program has', (speech) => {
  test('the saved prompts of its user and of the stage, whose variables are arguments', async () => {
    const stages = { title: 'Summary', text: 'Sum up {page name}.', groups: [], modules: ['page'] }
    await bench.configure({ ...offered, prompts: [stages] })
    for (const text of ['Sum it up.', 'Now in {language}, for {reader}, in {language}.'])
      await editor.ask('/ai-chat/prompts/save', { body: { title: 'Summary', text } })
    const client = await program(bench.handler, await tokenOf(), speech)

    const { prompts } = await client.listPrompts()
    expect(prompts.map(({ name, arguments: wanted }) => [name, wanted?.map(({ name }) => name)])).toEqual([
      ['Summary', expect.any(Array)],
      ['Summary (2)', expect.any(Array)],
      ['Summary (3)', ['page name']],
    ])
    const named = prompts.find((one) => one.arguments?.length === 2)?.name ?? ''
    const { messages } = await client.getPrompt({ name: named, arguments: { language: 'German' } })
    expect(messages).toEqual([
      { role: 'user', content: { type: 'text', text: 'Now in German, for {reader}, in German.' } },
    ])
    await expect(client.getPrompt({ name: 'Another' })).rejects.toMatchObject({ code: -32_602 })
    await client.close()
    await bench.configure(offered)
    for (const { id } of (await editor.get<PromptsAnswer>('/prompts', { module: 'page' })).body.own)
      await editor.ask('/ai-chat/prompts/delete', { body: { id } })
  })

  test('the records that its user had open last as resources, and each other one by its address', async () => {
    bench.api.always({ text: 'Answer.' })
    await bench.clock.pass(1_000)
    await editor.turn('What is this?', { viewContext: { pageId: 3, module: 'page' } })
    await bench.clock.pass(1_000)
    await editor.turn('And this?', { viewContext: { pageId: 2, table: 'news', module: 'list' } })
    const client = await program(bench.handler, await tokenOf(), speech)

    const { resources } = await client.listResources()
    expect(resources.slice(0, 2).map(({ uri, title }) => [uri, title])).toEqual([
      ['cms://news/2', await bench.field('news', 2)],
      ['cms://pages/3', await bench.field('pages', 3)],
    ])
    expect((await client.listResourceTemplates()).resourceTemplates[0]?.uriTemplate).toBe(
      'cms://{table}/{uid}',
    )
    const reads = async (uri: string) => JSON.stringify((await client.readResource({ uri })).contents)
    expect(await reads('cms://pages/3')).toMatch(/<data-[0-9a-f]{24} source=\\"get_page_content\\">/)
    expect(await reads('cms://news/1')).toContain('get_record')
    for (const uri of ['cms://news/999', 'cms://backend_users/1', 'https://example.com/', 'cms://news/../1'])
      await expect(client.readResource({ uri })).rejects.toThrow()
    await client.close()
  })
})

describe('a call of a program', () => {
  const asks = async (name: string, args: object = {}, user: User = editor) => {
    const client = await program(bench.handler, await tokenOf(user))
    const result = await client.callTool({ name, arguments: args as Record<string, unknown> })
    await client.close()
    return [result.isError, textOf(result)]
  }

  test.each<[string, string, object, RegExp]>([
    ['of a tool that the user may not use', 'fetch_logs', {}, /no such tool for this user/],
    ['of a question, which is for the person', 'ask_user', { question: 'Why?' }, /no such tool/],
    ['with wrong arguments', 'get_record', { table: 'news' }, /arguments are not valid/],
    [
      'of a write that is too long',
      'update_record',
      { ...change, fields: { title: 'x'.repeat(200_000) } },
      /too long or too deeply nested/,
    ],
    [
      'of a write that changes nothing',
      'update_record',
      { ...change, uid: 999 },
      /does not exist|not see|no record/i,
    ],
    [
      'of a write to what the user may not change',
      'update_record',
      { table: 'backend_users', uid: 1, fields: { username: 'x' } },
      /./,
    ],
  ])('%s is refused at once, and begins no conversation', async (_, name, args, told) => {
    const before = await conversations(editor)
    const [isError, text] = await asks(name, args)
    expect([isError, text]).toEqual([true, expect.stringMatching(told)])
    expect(await conversations(editor)).toEqual(before)
  })

  test('gets a picture of the site as the user sees it, beside the words', async () => {
    await seedPictures()
    const client = await program(bench.handler, await tokenOf())
    const shows = (uid: number) => client.callTool({ name: 'view_image', arguments: { table: 'media', uid } })
    const { body } = await editor.get<PictureAnswer>('/picture', { table: 'media', uid: '2' })

    expect((await shows(2)).content).toEqual([
      { type: 'text', text: expect.stringContaining('The picture of media [2]') },
      { type: 'image', data: body.base64, mimeType: body.mimeType },
    ])
    expect(await shows(999)).toMatchObject({ isError: true, content: [{ type: 'text' }] })
    await client.close()
  })

  test('keeps to the rules of the stage: a tool that is off, a class of data that programs may not have', async () => {
    await bench.configure({ ...offered, tools: { disabled: ['get_record'], groups: {} } })
    expect((await asks('get_record', { table: 'news', uid: 2 }))[0]).toBe(true)
    await bench.configure({ accessTokens: { trustZone: 'public' } })
    expect((await asks('get_page_tree'))[0]).toBe(true)
    await bench.configure(offered)
    expect((await asks('get_page_tree'))[0]).toBe(false)
  })

  test('that reads is in the audit with the token and the records', async () => {
    await asks('get_record', { table: 'news', uid: 2 })
    const acts = []
    for await (const entry of entries('2026-11-20', 2)) acts.push(entry)
    expect(
      acts.map(({ activity_name, api, src_endpoint, resources }) => [
        activity_name,
        api?.operation,
        src_endpoint.ip,
        resources,
      ]),
    ).toContainEqual([
      'Read',
      'get_record',
      '203.0.113.7',
      [
        { type: 'access-token', uid: expect.stringMatching(/^[0-9a-f]{16}$/) },
        { type: 'news', uid: '2' },
      ],
    ])
  })

  test('that writes is refused where the chat takes none, and says that nothing was changed', async () => {
    await bench.configure({ ...offered, maintenance: true })
    expect(await asks('update_record', change)).toEqual([
      true,
      'Nothing has been changed: The assistant is being maintained and takes no new tasks. Try again later. Ask again after 60 seconds.',
    ])
    await bench.configure(offered)
  })
})

test('a program of a connected CMS works under sessions of its user, whose calls are counted together', async () => {
  const began = async () =>
    (
      await Exchanged.start(
        2,
        Exchanged.storedName('of the CMS'),
        Exchanged.embeddedMs,
        bench.clock.now(),
        true,
      )
    )?.token ?? ''
  const client = await program(bench.handler, await began())
  expect(textOf(await client.callTool({ name: 'get_record', arguments: { table: 'news', uid: 2 } }))).toMatch(
    /^<data-/,
  )
  await client.callTool({ name: 'update_record', arguments: change })
  const title = 'A program of the content management system proposes: Change a record'
  expect((await conversations(editor)).map((one) => one.title)).toContain(title)
  const read = []
  for await (const { api, resources } of entries('2026-11-20', 2))
    if (api?.operation === 'get_record') read.push(resources?.[0]?.type)
  expect(read).toContain('session')

  for (let at = 0; at < tokenLimits.minute.most; at++)
    await takeCall(2, { id: '', isSession: true }, 'minute', bench.clock.now()).catch(() => {})
  await expect(program(bench.handler, await began())).rejects.toMatchObject({ status: 429 })
  await bench.clock.pass(60_000)
  await (await program(bench.handler, await began())).close()
  await client.close()
  await bench.settle()
})

test('a program that asks too often hears when it may ask again', async () => {
  const token = await tokenOf()
  const client = await program(bench.handler, token)
  for (let at = 1; at < tokenLimits.minute.most; at++)
    await takeCall(2, { id: token.split('_')[2] ?? '' }, 'minute', bench.clock.now())
  await expect(client.listTools()).rejects.toMatchObject({ status: 429 })
  await bench.clock.pass(60_000)
  expect((await client.listTools()).tools.length).toBeGreaterThan(0)
})

test('a proposal beyond those of an hour is refused with the time after which it works again', async () => {
  const token = await tokenOf()
  const client = await program(bench.handler, token)
  const hour = 3_600_000
  await bench.clock.pass(hour - (bench.clock.now() % hour) + 1_500_000)
  for (let at = 0; at < tokenLimits.hour.most; at++)
    await takeCall(2, { id: token.split('_')[2] ?? '' }, 'hour', bench.clock.now())

  const result = await client.callTool({ name: 'update_record', arguments: change })

  expect([result.isError, textOf(result)]).toEqual([
    true,
    'Nothing has been changed: Too many requests with this access token or from this network. Try again later. Ask again after 2100 seconds.',
  ])
})

describe('what refuses a program answers as JSON-RPC', () => {
  const asks = async (token: string, origin?: string) => {
    const response = await fetchOf(bench.handler, origin)(new URL('/ai-chat/mcp', config().origin), {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
        authorization: `Bearer ${token}`,
      },
      body: JSON.stringify({ jsonrpc: '2.0', id: 7, method: 'tools/list' }),
    })
    const { headers, status } = response
    const named = ['retry-after', 'www-authenticate'].map((name) => headers.get(name))
    return [status, ...named, await response.json()]
  }
  const refusal = (code: string, message: RegExp, more: object = {}) => ({
    jsonrpc: '2.0',
    id: 7,
    error: {
      code: -32_000,
      message: expect.stringMatching(message),
      data: { code, requestId: expect.any(String), ...more },
    },
  })

  test('without a token that is good', async () => {
    expect(await asks('aict_2_wrong')).toEqual([
      401,
      null,
      expect.stringMatching(/^Bearer error="invalid_token", resource_metadata="/),
      refusal('session.expired', /^Your session/),
    ])
  })

  test('from a page of another site', async () => {
    expect(await asks(await tokenOf(), 'https://evil.example')).toEqual([
      403,
      null,
      null,
      refusal('origin.notAllowed', /^This website may not use the chat/),
    ])
  })

  test('too often, with the time to wait, which the instructions announce', async () => {
    const token = await tokenOf()
    const client = await program(bench.handler, token)
    expect(client.getInstructions()).toContain('60 times a minute and make 20 proposals an hour')
    await client.close()
    for (;;) {
      const [status, after, , body] = await asks(token)
      if (status === 200) continue
      const retryAfterMs = expect.any(Number)
      expect([status, body]).toEqual([
        429,
        refusal('token.throttled', /^Too many requests/, { retryAfterMs }),
      ])
      expect(Number(after)).toBeGreaterThan(0)
      break
    }
  })
})

test('an erasure of the user removes the tokens, and no export shows what opens a door', async () => {
  const token = await tokenOf()
  const files: string[] = []
  const write = async (_: string, content: Uint8Array | string) => void files.push(String(content))
  await exportUser(2, 'en', { has: async () => false, write }, bench.clock)
  const hash = createHash('sha256').update(token).digest('hex')
  expect(files.join()).toContain(`access-token#${token.split('_')[2]}`)
  expect(files.join()).not.toContain(hash)
  await eraseUser(2, bench.clock)
  expect(await find(token, bench.clock.now())).toBeUndefined()
  await logInAgain()
})

describe('an access token', () => {
  const list = async (user: User) => (await user.get<TokensAnswer>('/access-tokens')).body

  test('is listed with name, use and end, without its secret, until it is revoked', async () => {
    const admin = await bench.login('admin')
    const token = await tokenOf(admin)
    const { tokens } = await list(admin)
    const at = new Date(bench.clock.now()).toISOString()
    expect(tokens).toEqual([
      {
        id: token.split('_')[2],
        name: 'Laptop',
        host: null,
        createdAt: at,
        usedAt: null,
        expiresAt: new Date(bench.clock.now() + 30 * 86_400_000).toISOString(),
      },
    ])
    await program(bench.handler, token)
    expect((await list(admin)).tokens.map(({ usedAt }) => usedAt)).toEqual([at])
    const { body } = await admin.ask<TokensAnswer>('/ai-chat/access-tokens/revoke', {
      body: { id: tokens[0]?.id },
    })
    expect(body.tokens).toEqual([])
    await expect(program(bench.handler, token)).rejects.toThrow()
  })

  test('is one of ten at most', async () => {
    const autorin = await bench.login('autorin')
    for (let at = 0; at < 10; at++) await tokenOf(autorin)
    const { status } = await autorin.ask('/ai-chat/access-tokens/create', { body: { name: 'One more' } })
    expect(status).toBe(409)
  })
})

describe('side by side', () => {
  test('calls of a fresh token are all counted, and none is refused', async () => {
    const token = await find(await tokenOf(), 0)
    const once = { ...token, id: token?.token.id ?? '' }
    for (const now of [120_000, 180_000]) {
      const taken = await Promise.allSettled(
        Array.from({ length: 20 }, () => takeCall(2, once, 'minute', now)),
      )
      expect(taken.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => 'fulfilled'))
    }
    const { most } = tokenLimits.minute
    const many = await Promise.allSettled(
      Array.from({ length: most + 5 }, () => takeCall(2, once, 'minute', 240_000)),
    )
    expect(many.filter(({ status }) => status === 'fulfilled')).toHaveLength(most)
  })

  test('tokens are made up to their limit', async () => {
    const made = await Promise.all(
      Array.from({ length: 30 }, () =>
        editor.ask('/ai-chat/access-tokens/create', { body: { name: 'Laptop', days: 30 } }),
      ),
    )
    const { body } = await editor.get<TokensAnswer>('/access-tokens')
    expect(body.tokens.length).toBeLessThanOrEqual(maxTokens)
    expect(made.filter(({ status }) => status === 201)).toHaveLength(body.tokens.length)
  })
})

test.each(['number', 'string'] as const)('an address names a record by its %s as the CMS has it', (ids) => {
  const on = { capabilities: { ids, tree: { pages: 'pages', content: null } } } as Program
  const read = (uri: string) => readingOf(on, uri)?.args

  expect(read('cms://news/012')).toEqual({ table: 'news', uid: ids === 'number' ? 12 : '012' })
  expect(read('cms://news/a-1')).toEqual({ table: 'news', uid: 'a-1' })
})
