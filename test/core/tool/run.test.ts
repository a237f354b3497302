import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import type { Actor } from '../../../core/base/actor.ts'
import { ToolError } from '../../../core/base/error.ts'
import type { Change } from '../../../core/cms/change.ts'
import type { Cms } from '../../../core/cms/cms.ts'
import { present } from '../../../core/tool/result.ts'
import { planChange, run } from '../../../core/tool/run.ts'
import { type ReadTool, reads, type ToolContext, type WriteTool } from '../../../core/tool/tool.ts'
import { find } from '../../../core/tool/tools.ts'

const nonce = 'f'.repeat(24)
const editor: Actor = { uid: 2, username: 'editor', name: 'Eva', isAdmin: false, groups: [1], lang: 'en' }

const tool = (act: (args: { word: string }, context: ToolContext) => Promise<string>): ReadTool =>
  reads({
    name: 'say',
    sign: 'info',
    en: { title: 'Say', did: 'Said', doing: 'Saying' },
    description: 'Says a word.',
    parameters: z.strictObject({ word: z.string().min(2) }),
    dataClass: 'public',
    adminOnly: false,
    run: act,
  })

/** The result without its fence, and what was logged. */
async function call(given: ReadTool, args: unknown, over: Partial<ToolContext> = {}) {
  const logged: unknown[] = []
  const context = {
    actor: editor,
    signal: new AbortController().signal,
    cms: {} as Cms,
    ...over,
  } as ToolContext
  const result = await run(given, args, context, { nonce, log: (error) => logged.push(error) })
  return {
    isError: result.isError,
    outcome: result.outcome,
    text: result.text.split('\n').slice(1, -1).join('\n'),
    logged,
  }
}

describe('run', () => {
  test('answers what the tool says, in the fence', async () => {
    const options = { nonce, log: () => {} }
    const context = { actor: editor, signal: new AbortController().signal } as ToolContext
    const result = await run(
      tool(async ({ word }, { actor }) => `${actor.username}: ${word}`),
      { word: 'hello' },
      context,
      options,
    )

    expect(result).toEqual({
      text: present(nonce, 'say', 'editor: hello'),
      isError: false,
      outcome: 'done',
    })
  })

  test.each([
    ['a missing argument', {}, '- word: Invalid input: expected string, received undefined'],
    ['a wrong type', { word: 5 }, '- word: Invalid input: expected string, received number'],
    ['a wrong value', { word: 'x' }, '- word: Too small: expected string to have >=2 characters'],
    ['an unknown argument', { word: 'hello', loud: true, fast: 1 }, '- unknown: loud, fast'],
    ['no object', 'hello', '- Invalid input: expected object, received string'],
    ['nothing', undefined, '- Invalid input: expected object, received undefined'],
  ])('%s is an error in words, and the tool does not run', async (_, args, line) => {
    const result = await call(
      tool(async () => {
        throw new Error('ran all the same')
      }),
      args,
    )

    expect(result).toEqual({
      text: `The arguments are not valid. Correct them and call say again:\n${line}`,
      isError: true,
      outcome: 'notValid',
      logged: [],
    })
  })

  test('a refusal of the tool reaches the model in its words', async () => {
    const refusing = tool(async () => {
      throw new ToolError('Page 9 was not found.')
    })

    expect(await call(refusing, { word: 'hello' })).toEqual({
      text: 'Page 9 was not found.',
      isError: true,
      outcome: 'refused',
      logged: [],
    })
  })

  test('any other error reaches the log alone; the model gets a fixed sentence', async () => {
    const error = new TypeError('cannot read table cms-prod at 10.0.0.7')
    const failing = tool(async () => {
      throw error
    })

    expect(await call(failing, { word: 'hello' })).toEqual({
      text: 'The tool failed because of a technical problem, which has been logged. Try once more, else go on without it and tell the user.',
      isError: true,
      outcome: 'failed',
      logged: [error],
    })
  })

  test('a tool that throws before its promise, or throws no error at all, is handled alike', async () => {
    const hasty = tool(() => {
      throw 'text'
    })

    expect(await call(hasty, { word: 'hello' })).toMatchObject({ isError: true, logged: ['text'] })
  })

  test('a turn that is over ends with its reason, before the tool and while it runs', async () => {
    const over = new AbortController()
    const reason = new Error('cancelled')
    const aborting = tool(async () => {
      over.abort(reason)
      throw new Error('aborted')
    })
    const silent = tool(async () => 'not run')

    await expect(call(aborting, { word: 'hello' }, { signal: over.signal })).rejects.toBe(reason)
    await expect(call(silent, { word: 'hello' }, { signal: over.signal })).rejects.toBe(reason)
  })
})

describe('plan', () => {
  const write = (name: string, args: unknown): Change => planChange(find(name) as WriteTool, args)

  test.each([
    ['tag characters', 'Contact\u{e0041}', /hold tag characters .* Leave them out\.$/],
    ['a direction override', 'gpj.\u202eexe', /hold direction overrides .* Leave them out\.$/],
  ])('%s in a new value are refused to the model', (_, title, message) => {
    const act = () => write('update_record', { table: 'pages', uid: 1, fields: { title } })

    expect(act).toThrow(ToolError)
    expect(act).toThrow(message)
  })

  test('joiners, selectors and isolates that have a use are written', () => {
    const title = '👩‍👩‍👧 ❤️ می‌خواهم \u2066abc\u2069'

    expect(write('update_record', { table: 'pages', uid: 1, fields: { title } })).toMatchObject({
      fields: { title },
    })
  })

  test.each<[string, object, Change]>([
    [
      'update_record',
      { table: 'content', uid: 12, fields: { header: 'New', hidden: true, column: 1, starttime: null } },
      { table: 'content', uid: 12, fields: { header: 'New', hidden: true, column: 1, starttime: null } },
    ],
    [
      'create_page_draft',
      { parent: 2, title: ' Sale ' },
      { uid: null, table: 'pages', place: { pid: 2 }, fields: { title: 'Sale' } },
    ],
    [
      'update_record',
      { table: 'product-page', uid: 3, fields: { 'meta.tags': ['lamp'] } },
      { table: 'product-page', uid: 3, fields: { 'meta.tags': ['lamp'] } },
    ],
    [
      'replace_text',
      { table: 'content', uid: 3, edits: [{ field: 'body', find: '149', replace: '139' }] },
      { table: 'content', uid: 3, edits: [{ field: 'body', find: '149', replace: '139' }] },
    ],
    [
      'create_page_draft',
      { parent: 2, title: 'Sale', slug: '/sale' },
      { uid: null, table: 'pages', place: { pid: 2 }, fields: { title: 'Sale', slug: '/sale' } },
    ],
    [
      'create_content_draft',
      { page: 3, type: 'header', header: 'Offer' },
      { uid: null, table: 'content', place: { pid: 3 }, fields: { type: 'header', header: 'Offer' } },
    ],
    [
      'create_content_draft',
      { page: 3, type: 'list', header: 'Facts', body: 'one\ntwo' },
      {
        uid: null,
        table: 'content',
        place: { pid: 3 },
        fields: { type: 'list', header: 'Facts', body: 'one\ntwo' },
      },
    ],
  ])('%s means a write', (name, args, expected) => {
    expect(write(name, args)).toEqual(expected)
  })

  test.each([
    ['update_record', { table: 'content', uid: 12, fields: {} }, 'fields: name at least one field'],
    ['update_record', { table: 'content', uid: 12, fields: { 'header; x': 'x' } }, 'fields.header; x'],
    ['replace_text', { table: 'content', uid: 12, edits: [] }, 'edits'],
    [
      'replace_text',
      { table: 'content', uid: 12, edits: [{ field: 'body', find: '', replace: 'x' }] },
      'edits.0.find',
    ],
    ['update_record', { table: 'content', uid: 0, fields: { header: 'x' } }, 'uid'],
    ['update_record', { table: '../etc', uid: 1, fields: { header: 'x' } }, 'table'],
    ['create_page_draft', { parent: 1, title: '  ' }, 'title'],
    ['create_page_draft', { parent: 1, title: 'x', slug: '' }, 'slug'],
    ['create_page_draft', { parent: 1, title: 'x', hidden: false }, 'unknown: hidden'],
    ['create_content_draft', { page: 1, type: 'image', body: 'x' }, 'type'],
    ['create_content_draft', { page: 1, type: 'header' }, 'header: an element of type header needs one'],
    ['create_content_draft', { page: 1, type: 'text' }, 'body: give a body, a header or both'],
  ])('%s refuses %j', (name, args, hint) => {
    expect(() => write(name, args)).toThrow(ToolError)
    expect(() => write(name, args)).toThrow(hint)
  })
})
