import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { routes } from '../functions/http/routes.ts'
import { circling, exports, files, imports } from './support/source.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const parts = ['core', 'functions', 'infra', 'packages', 'scripts', 'web']
const isTest = (path: string) => /^(?:test|packages\/[^/]+\/test)\//.test(path)
const sources = files(root, parts).filter((path) => !isTest(path))
const all = [...sources, ...files(root, ['packages', 'test']).filter(isTest)]
const isThis = (path: string) => path === 'test/architecture.test.ts'
const text = (path: string) => readFileSync(join(root, path), 'utf8')

/** What each part may import, apart from itself and libraries. */
const directions: Record<string, string[]> = {
  core: ['package.json'],
  functions: ['core'],
  // The emulator does not export the parts that are repaired.
  infra: ['core', 'functions', 'node_modules/fauxqs/dist'],
  packages: ['core', 'infra/local'],
  scripts: [
    'core',
    'functions',
    'infra',
    'packages',
    'test/support',
    'test/bench/results.json',
    'package.json',
  ],
}

/** The floors of core: a room imports rooms of the floors below alone. */
const floors = [
  ['turn'],
  ['watch'],
  ['chat'],
  ['agent'],
  ['tool'],
  ['user'],
  ['cms', 'model'],
  ['conversation'],
  ['file', 'stage'],
  ['base'],
]

/** The loose files of core: they give each process its parts. */
const wiring = ['live.ts', 'ports.ts']

type Import = { from: string; to: string; isType: boolean }

const local: Import[] = sources.flatMap((from) =>
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

  /** Reads what other tabs say, by the schema of the API; loaded with the first of their answers. */
  const parser = 'web/chat/store/parse-answer.ts'

  test('web takes words, types of schemas and nothing else of the server', () => {
    const wrong = local.filter(
      ({ from, to, isType }) =>
        top(from) === 'web' &&
        top(to) !== 'web' &&
        !to.startsWith('core/base/languages/') &&
        !((isType || from === parser) && /^core\/.*schema\.ts$|^core\/.*request\.ts$/.test(to)),
    )
    expect(wrong.map(told)).toEqual([])
  })

  test('every room of core has its floor', () => {
    expect(readdirSync(join(root, 'core')).sort()).toEqual([...floors.flat(), ...wiring].sort())
  })

  test('in core they lead to a lower floor', () => {
    const floor = (path: string) => floors.findIndex((rooms) => rooms.includes(noun(path)))
    const wrong = local
      .filter(({ from, to }) => noun(from) && noun(from) !== noun(to) && floor(from) >= 0)
      .filter(({ to }) => floor(to) >= 0)
      .filter(({ from, to }) => floor(from) >= floor(to))
    expect(wrong.map(told)).toEqual([])
  })

  test('the loop of the agent knows no conversation but its shapes', () => {
    const wrong = local.filter(
      ({ from, to, isType }) =>
        noun(from) === 'agent' &&
        !from.startsWith('core/agent/prompt/') &&
        noun(to) === 'conversation' &&
        !isType &&
        !/schema\.ts$/.test(to),
    )
    expect(wrong.map(told)).toEqual([])
  })

  test.each(parts)('%s has no circle, not even of types', (part) => {
    expect(circling(local.filter(({ from }) => top(from) === part)).map(told)).toEqual([])
  })

  test.each(parts)('no two folders of %s import each other', (part) => {
    const between = local
      .filter(({ from, to }) => top(from) === part && top(to) === part)
      .map(({ from, to, isType }) => ({ from: folder(from), to: folder(to), isType }))
      .filter(({ from, to }) => from !== to)
    expect([...new Set(circling(between).map(told))]).toEqual([])
  })

  test('adapters are wired in one place', () => {
    const adapters = /^core\/(cms\/(?:reference|bridge)\/|model\/(?=(?:anthropic|bedrock|demo\/demo)\.ts))/
    const wrong = local.filter(({ from, to }) => {
      const folder = adapters.exec(to)?.[0]
      if (!folder || from.startsWith(folder)) return false
      // A plugin is the other end of the bridge, and runs on the site.
      if (top(from) === 'packages' && to.startsWith('core/cms/bridge/')) return false
      // The local stage and the scripts are tools for what the adapters stand for: seeds and checks.
      return !wiring.includes(noun(from)) && !from.startsWith('infra/local/') && top(from) !== 'scripts'
    })
    expect(wrong.map(told)).toEqual([])
  })
})

describe('files', () => {
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
    const tests = all.filter((path) => isTest(path) && !isThis(path))
    expect(tests.filter((path) => forbidden.test(text(path)))).toEqual([])
  })

  test('of tests say that they are skipped where a CMS cannot be installed, and nowhere else', () => {
    const skipping = all.filter((path) => !isThis(path) && /\.(skipIf|runIf)\(/.test(text(path)))
    expect(skipping.map((path) => dirname(path))).toEqual(
      skipping.map((path) => /^packages\/(wordpress|payload|php)\/test(?=\/)/.exec(path)?.[0]),
    )
  })

  test('mirror the source: every folder of tests stands for one', () => {
    const mirrored = all.filter((path) =>
      /^test\/(core|functions|infra\/local|scripts|web)\/.*\.test\.ts$/.test(path),
    )
    const wrong = mirrored.filter((path) => !existsSync(join(root, dirname(path).slice('test/'.length))))
    expect(wrong).toEqual([])
  })
})

test('no word of a stranger looks into a plain object: a table of words is a Map, or asked with `own`', () => {
  const wrong = sources.flatMap((path) => {
    const tables = [...text(path).matchAll(/^(?:export )?const (\w+): (?:\w+<)*Record<string, .*= \{/gm)].map(
      ([, name]) => name,
    )
    const looked = tables.map((name) => new RegExp(`(?<![\\w.])${name}\\[(?!')|\\bin ${name}\\b`))
    return text(path)
      .split('\n')
      .filter((line) => looked.some((one) => one.test(line)) && !line.includes('Object.hasOwn('))
      .map((line) => `${path}: ${line.trim()}`)
  })
  expect(wrong).toEqual([])
})

test('no page and no plugin picks one of the languages: it passes on the one of its reader', () => {
  const picked = /(?:startsWith\(|[!=]== )'(?:de|fr)'/
  const wrong = sources.filter((path) => /^(?:web|packages)\//.test(path) && picked.test(text(path)))
  expect(wrong).toEqual([])
})

/**
 * Names that said many things, and how often each is still defined at the top of a file. A number only goes down; at five
 * the name leaves the list.
 */
const crowded = new Map(
  Object.entries({
    named: 13,
    ask: 12,
    line: 9,
    change: 6,
    words: 9,
    answer: 10,
    shown: 6,
    own: 8,
  }),
)

test('a name that says many things is not defined once more', () => {
  const defined = sources.flatMap((path) =>
    [...text(path).matchAll(/^(?:export )?(?:async )?(?:function\*?|const) (\w+)/gm)].map(([, name]) => name),
  )
  const more = [...crowded].filter(([name, most]) => defined.filter((one) => one === name).length > most)
  expect(more).toEqual([])
})

/** Files that wire a whole together, or import more than fifteen others as yet. None joins them. */
const wide = [
  'core/agent/plan.ts',
  'core/agent/write.ts',
  'core/chat/amend.ts',
  'core/chat/mcp-server/call.ts',
  'core/chat/next.ts',
  'core/chat/send.ts',
  'core/chat/status.ts',
  'core/turn/break-off.ts',
  'core/turn/journal.ts',
  'core/turn/agent-task.ts',
  'core/turn/turn.ts',
  'core/user/session/exchange.ts',
  'functions/routes/session.ts',
  'scripts/doctor/check.ts',
  'scripts/start.ts',
]

test('a file imports at most fifteen others', () => {
  const imported = /^(?:import .* from |import '|\} from ')/gm
  const above = sources.filter((path) => [...text(path).matchAll(imported)].length > 15)
  expect(above.filter((path) => !wide.includes(path))).toEqual([])
  expect(wide.filter((path) => !above.includes(path))).toEqual([])
})

test('every function of the card exists and has a handler', () => {
  const names = [...new Set(routes.map((route) => route.function)), 'process', 'cleanup']
  const without = names.filter(
    (name) => !/^export (const|async function) handler\b/m.test(text(`functions/${name}.ts`)),
  )
  expect(without).toEqual([])
})

test('a comment without a declaration stands only before the first one', () => {
  const loose = sources.filter((path) =>
    [...text(path).matchAll(/^(?:\/\*\*.*| )\*\/\n\n/gm)].some(({ index }) =>
      /^(?:export|const|let|function|async|type|class)\b/m.test(text(path).slice(0, index)),
    ),
  )
  expect(loose).toEqual([])
})

test('every exported value says what a caller gets', () => {
  const without = sources
    .filter((path) => !path.endsWith('.d.ts'))
    .flatMap((path) =>
      exports(text(path))
        .filter(({ kind, isDocumented }) => kind !== 'type' && !isDocumented)
        .map(({ name }) => `${path}: ${name}`),
    )
  expect(without).toEqual([])
})
