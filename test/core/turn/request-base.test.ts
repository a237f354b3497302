import { describe, expect, test } from 'vitest'
import type { Capabilities } from '../../../core/cms/capabilities.ts'
import { capabilities as reference } from '../../../core/cms/reference/registry.ts'
import { encodeMessages } from '../../../core/model/encode.ts'
import { limits, type ModelRequest } from '../../../core/model/model.ts'
import type { DraftsMode } from '../../../core/stage/settings/schema.ts'
import { resolve } from '../../../core/stage/settings/settings.ts'
import { tools } from '../../../core/tool/tools.ts'
import { requestBaseOf } from '../../../core/turn/request-base.ts'
import shipped from '../../../infra/stages/base.json' with { type: 'json' }
import { actor } from '../../support/actor.ts'
import { configuration, model, settings, task } from '../../support/settings.ts'

const own = reference()
const none: Capabilities['writes'] = {
  create: [],
  state: [],
  times: [],
  place: [],
  bin: [],
  remove: [],
  restore: [],
}

/** What the CMSs say of themselves that the chat is connected to, as their packages answer it. */
const systems: Record<string, Capabilities> = {
  reference: own,
  WordPress: {
    ...own,
    name: 'WordPress',
    tree: { pages: 'page', content: null },
    home: null,
    locales: 'none',
    states: ['publish', 'future', 'draft', 'pending', 'private'],
    writes: { ...none, create: ['page', 'post'], state: ['page', 'post'], bin: ['post'], restore: ['post'] },
    log: false,
    exceptions: false,
  },
  Payload: {
    ...own,
    name: 'Payload',
    ids: 'string',
    tree: { pages: 'pages', content: null },
    home: null,
    locales: 'field',
    states: ['draft', 'published'],
    writes: { ...none, create: ['pages', 'posts'], bin: ['posts'] },
    log: false,
    exceptions: false,
    parts: true,
  },
  'a CMS without pages': { ...own, tree: null, home: null, media: false, history: false, writes: none },
}

type Scene = {
  isAdmin?: boolean
  drafts?: DraftsMode
  offers?: string[] | null
  lang?: string
  name?: string
  nonce?: string
  pageId?: number
  instructions?: string
}

/** The request of a turn with the prompts that the product comes with. */
function requestOf(
  system: string,
  {
    isAdmin = false,
    drafts = 'off',
    offers = null,
    lang = 'en',
    name = 'Editor',
    nonce = 'f00d',
    pageId = 3,
    instructions = '',
  }: Scene = {},
) {
  const who = actor({ isAdmin, lang, name })
  const [first] = shipped.configurations
  const stage = settings({
    configurations: [configuration({ system_prompt: first?.system_prompt ?? '', tools: offers })],
    tasks: [task({ prompt_template: shipped.tasks[0]?.prompt_template ?? '' })],
    drafts: { mode: drafts, groups: {} },
  })
  const { resolved } = resolve(stage, who)
  if (!resolved) throw new Error('The settings name no configuration')
  return requestBaseOf(
    {
      actor: who,
      settings: stage,
      resolved,
      capabilities: systems[system] ?? own,
      languages: [
        { id: 0, title: 'English', locale: 'en_US.UTF-8' },
        { id: 1, title: 'Deutsch', locale: 'de_DE.UTF-8' },
      ],
      page: page(pageId),
      record: undefined,
    },
    {
      capabilities: ['vision', 'tools'],
      limits: limits(model(), 'demo'),
      about: { provider: 'Demo', model: 'demo', isAI: false },
      ask: () => Promise.reject(new Error('not asked')),
    },
    {
      nonce,
      now: Date.parse('2026-11-23T12:00:00Z'),
      viewContext: { pageId, module: 'web_page' },
      instructions,
      ownInstructions: '',
      servers: { tools: () => [], unconnected: [] },
    },
  )
}

const page = (uid: number) => ({
  uid,
  title: `Page ${uid}`,
  slug: `/page-${uid}`,
  addresses: [],
  parent: 1,
  hidden: false,
  language: 0,
  path: [],
  mayEdit: true,
  changedAt: '2026-11-20T12:00:00Z',
  changedBy: null,
})

type Parts = Pick<ModelRequest, 'system' | 'tools'>

const promptOf = ({ system }: Parts) => system.map(({ text }) => text).join('\n\n')
const toolsOf = ({ tools }: Parts) =>
  JSON.stringify(tools.map(({ name, description, schema }) => ({ name, description, input_schema: schema })))
const wholeOf = (parts: Parts) => `${promptOf(parts)}\n${toolsOf(parts)}`

/** Every request that this file knows: each CMS, each role, each way of drafts, and a configuration with few tools. */
const cases = Object.keys(systems).flatMap((system) =>
  [false, true].flatMap((isAdmin) =>
    (['off', 'first', 'only'] as const).flatMap((drafts) =>
      [null, ['get_page_content', 'search_records', 'update_record', 'attach_media', 'delete_record']].map(
        (offers) => ({ system, isAdmin, drafts, offers }),
      ),
    ),
  ),
)

/**
 * Characters of a token, measured with the vendor's published tokenizer (`@anthropic-ai/tokenizer` 0.0.4) on the request
 * of an editor, rounded down. The newest models count about a third more.
 */
const charactersPerToken = { prompt: 4.1, tools: 4.25 }

/** What a prompt forbids or leaves to a person, with the tools that would contradict it. */
const forbidden: [RegExp, string[]][] = [
  [/never publish, hide or plan/i, ['set_state', 'undelete_record']],
  [/publish\w* (?:them|it) (?:by hand|in the)/i, ['set_state']],
  [/never delete|cannot delete/i, ['delete_record']],
  [/whole new value of a field/i, ['replace_text', 'change_parts']],
  [/ask which one/i, ['ask_user']],
  [/never use tools/i, tools.map(({ name }) => name)],
]

describe('the whole request of a turn', () => {
  test.each(cases)('names only tools that it offers: %j', ({ system, ...role }) => {
    const request = requestOf(system, role)
    const here = new Set(request.tools.map(({ name }) => name))
    const refused = promptOf(request).match(/# Tools that this user cannot use[\s\S]*/)?.[0] ?? ''
    const text = wholeOf(request).replace(refused, '')
    const named = tools.filter(({ name }) => new RegExp(`\\b${name}\\b`).test(text)).map(({ name }) => name)

    expect(named.filter((name) => !here.has(name))).toEqual([])
    expect(request.tools.filter(({ description }) => description.length < 40)).toEqual([])
  })

  test.each(cases)('forbids nothing that a tool of it does: %j', ({ system, ...role }) => {
    const request = requestOf(system, role)
    const here = request.tools.map(({ name }) => name)
    const text = promptOf(request)
    const contradicted = forbidden
      .filter(([words]) => words.test(text))
      .flatMap(([words, names]) => names.filter((name) => here.includes(name)).map((name) => [words, name]))

    expect(contradicted).toEqual([])
  })

  test.each(cases)('says each sentence once, and "ask" only of the user: %j', ({ system, ...role }) => {
    const request = requestOf(system, role)
    const texts = [promptOf(request), ...request.tools.map(({ description }) => description)]
    const sentences = texts
      .flatMap((text) => text.split(/(?<=[.!?:]) |\n+-? ?/))
      .filter((sentence) => sentence.length > 20)
    const twice = sentences.filter((sentence, at) => sentences.indexOf(sentence) !== at)

    expect(twice).toEqual([])
    expect(texts.join('\n')).not.toMatch(/\bask (?:before|it|this tool)\b/i)
  })

  test.each(Object.keys(systems))('of an editor is below 4,500 tokens: %s', (system) => {
    const request = requestOf(system)
    const prompt = promptOf(request).length / charactersPerToken.prompt
    const offered = toolsOf(request).length / charactersPerToken.tools

    expect(prompt + offered).toBeLessThan(4_500)
  })

  test('lists the states that a record can be given, and begins the tree where the site begins', () => {
    const schemaOf = (system: string, name: string) =>
      JSON.stringify(requestOf(system).tools.find((tool) => tool.name === name)?.schema)

    expect(schemaOf('reference', 'set_state')).toContain('"enum":["visible","hidden","scheduled"]')
    expect(schemaOf('WordPress', 'set_state')).toContain(
      '"enum":["publish","future","draft","pending","private"]',
    )
    expect(schemaOf('WordPress', 'get_page_tree')).not.toContain('"default":1')
  })
})

describe('the cache of the provider', () => {
  const turns = (count: number): ModelRequest['messages'] =>
    Array.from({ length: count }, (_, at) => at).flatMap((at): ModelRequest['messages'] => [
      { role: 'user', content: [{ type: 'text', text: `Question ${at}` }] },
      ...(at === count - 1
        ? []
        : [{ role: 'assistant' as const, content: [{ type: 'text' as const, text: `Answer ${at}` }] }]),
    ])
  const sent = (scene: Scene, count = 1) =>
    encodeMessages(
      'claude-sonnet-5-5',
      { ...requestOf('reference', scene), messages: turns(count), toolChoice: 'auto' },
      { systemMessages: true, hourCache: true },
    )
  /** What the API caches in this order: all before the system message, marks of the cache left out. */
  const cached = ({ tools, system, messages }: ReturnType<typeof sent>) =>
    JSON.stringify([tools, system, messages.slice(0, -1)], (key, value) =>
      key === 'cache_control' ? undefined : value,
    )
  const shared = ({ tools, system }: ReturnType<typeof sent>) => {
    const parts = Array.isArray(system) ? system : []
    const end = parts.findIndex(({ cache_control }) => cache_control?.ttl === '1h')
    return { bytes: JSON.stringify([tools, parts.slice(0, end + 1)]), end, parts: parts.length }
  }

  test.each<[string, Scene]>([
    ['another page', { pageId: 7 }],
    ['another language', { lang: 'de' }],
    ['another user with the same tools', { name: 'Autorin' }],
    ['instructions for the conversation', { instructions: 'Be kind.' }],
  ])('holds byte by byte with %s', (_, scene) => {
    const before = sent({})
    const now = sent(scene)

    expect(cached(now)).toBe(cached(before))
    expect(JSON.stringify(now.messages.at(-1))).not.toBe(JSON.stringify(before.messages.at(-1)))
  })

  test('holds from turn to turn, whichever page is open', () => {
    const one = cached(sent({ pageId: 3 }, 3))
    const next = cached(sent({ pageId: 9 }, 4))

    expect(next.startsWith(one.slice(0, -2))).toBe(true)
  })

  test('is of an hour for what all conversations share, and of minutes for what one has', () => {
    const { bytes, end, parts } = shared(sent({}))

    expect(shared(sent({ nonce: 'beef', pageId: 8, lang: 'fr', name: 'Ada' })).bytes).toBe(bytes)
    expect(end).toBe(parts - 2)
    expect(sent({}).system?.at(-1)).toMatchObject({ cache_control: { type: 'ephemeral' } })
    expect(cached(sent({ nonce: 'beef' }))).not.toBe(cached(sent({})))
  })
})
