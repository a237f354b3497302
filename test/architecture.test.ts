import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { routes } from '../functions/routes.ts'
import { circling, comments, exports, files, imports } from './support/source.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const sources = files(root, ['core', 'functions', 'infra', 'scripts', 'web'])
const all = [...sources, ...files(root, ['test'])]
const isThis = (path: string) => path === 'test/architecture.test.ts'
const text = (path: string) => readFileSync(join(root, path), 'utf8')

/** What each part may import, apart from itself and packages. */
const directions: Record<string, string[]> = {
  core: ['package.json'],
  functions: ['core'],
  infra: ['core', 'functions'],
  scripts: ['core', 'functions', 'infra', 'test/support', 'test/chaos', 'package.json'],
}

/** The order inside of core: a room imports none of an earlier group. */
const order = [
  ['turn', 'canary'],
  ['cleanup', 'user-data'],
  ['chat'],
  ['undo'],
  ['agent'],
  ['mcp'],
  ['prompt', 'tool', 'session'],
  ['cms', 'transcript', 'model', 'document'],
  ['connection'],
  ['pace'],
  [
    'conversation',
    'file',
    'usage',
    'settings',
    'audit',
    'saved-prompt',
    'own-instructions',
    'feedback',
    'user-number',
  ],
  ['aws'],
  ['metric'],
  ['safety', 'stage'],
]

type Import = { from: string; to: string; isType: boolean }

/** The bench of the pages is a page itself. */
const isBenchPage = (path: string) => path.startsWith('scripts/bench/web/page/')

const local: Import[] = sources
  .filter((path) => !isBenchPage(path))
  .flatMap((from) =>
    imports(text(from))
      .filter(({ path }) => path.startsWith('.'))
      .map(({ path, isType }) => ({ from, isType, to: relative(root, join(root, dirname(from), path)) })),
  )
const top = (path: string) => path.split('/')[0] as string
const noun = (path: string) => (path.startsWith('core/') ? (path.split('/')[1] as string) : '')
/** The room that a file is in: the folder below the part, in web below the element; a loose file is a room of its own. */
const folder = (path: string) =>
  path
    .split('/')
    .slice(0, top(path) === 'web' ? 3 : 2)
    .join('/')
const told = ({ from, to }: Import) => `${from} imports ${to}`

describe('dependencies', () => {
  test.each(Object.entries(directions))('%s imports nothing but %j and itself', (part, allowed) => {
    const wrong = local.filter(
      ({ from, to }) =>
        top(from) === part &&
        top(to) !== part &&
        !allowed.some((name) => to === name || to.startsWith(`${name}/`)),
    )
    expect(wrong.map(told)).toEqual([])
  })

  test('web takes words, types of schemas and nothing else of the server', () => {
    const wrong = local.filter(
      ({ from, to, isType }) =>
        top(from) === 'web' &&
        top(to) !== 'web' &&
        noun(to) !== 'languages' &&
        !(isType && /^core\/.*schema\.ts$|^core\/.*request\.ts$/.test(to)),
    )
    expect(wrong.map(told)).toEqual([])
  })

  test('in core they go from turn down to aws, and never back', () => {
    const rank = (path: string) => order.findIndex((names) => names.includes(noun(path)))
    const wrong = local.filter(({ from, to }) => rank(to) >= 0 && rank(from) > rank(to))
    expect(wrong.map(told)).toEqual([])
  })

  test('the agent knows no conversation but its shapes', () => {
    const wrong = local.filter(
      ({ from, to, isType }) =>
        noun(from) === 'agent' &&
        ['conversation', 'transcript'].includes(noun(to)) &&
        !isType &&
        !/schema\.ts$/.test(to),
    )
    expect(wrong.map(told)).toEqual([])
  })

  test.each(['core', 'functions', 'infra', 'scripts', 'web'])(
    '%s has no circle, not even of types',
    (part) => {
      expect(circling(local.filter(({ from }) => top(from) === part)).map(told)).toEqual([])
    },
  )

  test.each(['core', 'functions', 'infra', 'scripts', 'web'])(
    'no two folders of %s import each other',
    (part) => {
      const between = local
        .filter(({ from, to }) => top(from) === part && top(to) === part)
        .map(({ from, to, isType }) => ({ from: folder(from), to: folder(to), isType }))
        .filter(({ from, to }) => from !== to)
      expect([...new Set(circling(between).map(told))]).toEqual([])
    },
  )

  test('adapters are wired in one place', () => {
    const adapters =
      /^core\/(cms\/(?:reference|bridge)\/(?!demo-users|seed-row)|model\/(?=(?:anthropic|bedrock|demo\/demo)\.ts))/
    const wiring = ['core/live.ts', 'core/ports.ts']
    const wrong = local.filter(({ from, to }) => {
      const folder = adapters.exec(to)?.[0]
      if (!folder || from.startsWith(folder)) return false
      // The plugin of Payload is the other end of the bridge, and runs on the site.
      if (from.startsWith('core/cms/payload/') && to.startsWith('core/cms/bridge/')) return false
      // The local stage and the scripts are tools for what the adapters stand for: seeds, checks, benches.
      return !wiring.includes(from) && !from.startsWith('infra/local/') && top(from) !== 'scripts'
    })
    expect(wrong.map(told)).toEqual([])
  })
})

describe('files', () => {
  /** Words, seeds and styles are as long as what they hold. */
  const isData = (path: string) =>
    /^core\/languages\/|\/seed\//.test(path) || path === 'core/error-sentence.ts'

  test('have at most 250 lines', () => {
    const support = all.filter((path) => path.startsWith('test/support/'))
    const plugins = ['.php', '.js', '.jsx'].flatMap((ending) => files(root, ['core', 'infra'], ending))
    const long = [...sources, ...support, ...plugins].filter(
      (path) => !isData(path) && text(path).split('\n').length > 251,
    )
    expect(long).toEqual([])
  })

  test('are named after what they hold', () => {
    const vague = /(^|\/)(index|utils?|helpers?|managers?|services?|common|base|handlers?|misc)\.ts$/
    expect(sources.filter((path) => vague.test(path))).toEqual([])
  })

  test('re-export nothing', () => {
    expect(sources.filter((path) => /^export (type )?(\*|\{[^}]*\}) from /m.test(text(path)))).toEqual([])
  })

  test('leave nothing for later and switch nothing off', () => {
    const forbidden = /\b(TODO|FIXME|XXX)\b|@ts-(ignore|nocheck|expect-error)/
    expect(all.filter((path) => !isThis(path) && forbidden.test(text(path)))).toEqual([])
  })

  test('of tests neither mock modules nor skip', () => {
    const forbidden = /\bvi\.mock\(|\b(test|it|describe)\.(only|skip|todo|fails)\b/
    const tests = all.filter((path) => path.startsWith('test/') && !isThis(path))
    expect(tests.filter((path) => forbidden.test(text(path)))).toEqual([])
  })

  test('mirror the source: every folder of tests stands for one', () => {
    const mirrored = all.filter((path) =>
      /^test\/(core|functions|infra\/local|scripts|web)\/.*\.test\.ts$/.test(path),
    )
    const wrong = mirrored.filter((path) => !existsSync(join(root, dirname(path).slice('test/'.length))))
    expect(wrong).toEqual([])
  })
})

describe('English', () => {
  /** Words that hide who acts. */
  const vague =
    /\b(whoever|nobody|somebody|anew|(is|are|was|were|be|been|being) told (to|of|that|by)|told of)\b/i
  /** What a comment puts in a place where it only is. */
  const placed =
    /\b((stands?|standing) (behind|before|beside|in|on|there)|(lies?|lying) (in|on|beside|behind|there|under)|(is|are|be) told)\b/i
  const pages = [
    'README.md',
    'CONTRIBUTING.md',
    'SECURITY.md',
    'CHANGELOG.md',
    ...readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.md'))
      .map((name) => `docs/${name}`),
  ]
  /** Articles of the seeded site are prose; the reader of old transcripts knows the words of earlier releases. */
  const isExempt = (path: string) => path.includes('/seed/') || /(^|\/)transcript\/old-result\./.test(path)
  const written = sources.filter((path) => !isExempt(path))

  test.each(pages)('of %s names the actor', (page) => {
    expect(
      text(page)
        .split('\n')
        .filter((line) => vague.test(line)),
    ).toEqual([])
  })

  test('of comments and sentences in sources and tests names the actor', () => {
    const said = [
      ...written,
      ...all.filter((path) => path.startsWith('test/') && !isThis(path) && !isExempt(path)),
    ].flatMap((path) =>
      text(path)
        .split('\n')
        .filter((line) => vague.test(line))
        .map((line) => `${path}: ${line.trim()}`),
    )
    const commented = written.flatMap((path) =>
      comments(text(path))
        .filter((comment) => vague.test(comment) || placed.test(comment))
        .map((comment) => `${path}: ${comment}`),
    )
    expect([...said, ...commented]).toEqual([])
  })
})

test('every function of the card exists and has a handler', () => {
  const names = [...new Set(routes.map((route) => route.function)), 'process', 'cleanup']
  const without = names.filter(
    (name) => !/^export (const|async function) handler\b/m.test(text(`functions/${name}.ts`)),
  )
  expect(without).toEqual([])
})

test('every exported value says what a caller gets', () => {
  const without = sources
    .filter((path) => !path.endsWith('.d.ts') && !path.startsWith('scripts/bench/'))
    .flatMap((path) =>
      exports(text(path))
        .filter(({ kind, isDocumented }) => kind !== 'type' && !isDocumented)
        .map(({ name }) => `${path}: ${name}`),
    )
  expect(without).toEqual([])
})
