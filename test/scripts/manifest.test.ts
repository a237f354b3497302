import { cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { chaosFolders, codeOf, foldersOf } from '../../scripts/code.ts'
import { build, readme } from '../../scripts/manifest/document.ts'
import { differences, outdated, violations } from '../../scripts/manifest/outdated.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))

type Json = Record<string, unknown>
const stored = async () => JSON.parse(await readFile(join(root, 'project-manifest.json'), 'utf8')) as Json

describe('the manifest of this repository', () => {
  test('is what its sources say, cites evidence that exists, and follows the specification', async () => {
    const { manifest, mistakes } = build(root)

    expect(mistakes).toEqual([])
    expect(violations(manifest)).toEqual([])
    expect(differences(await stored(), manifest)).toEqual([])
  })

  test('and README.md have the figures of the results files', async () => {
    expect(await readFile(join(root, 'README.md'), 'utf8')).toBe(readme(root))
  })

  test('says that an address of its own is missing', () => {
    expect(build(root).notes[0]).toBe(
      'package.json names no repository: pkg:generic/backend-ai-chat@0.1.0 names the product.',
    )
  })
})

test('figures that were measured with other code than there is now are named as stale', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'results-'))
  const put = async (path: string, results: object) => {
    await mkdir(dirname(join(folder, path)), { recursive: true })
    await writeFile(join(folder, path), JSON.stringify(results))
  }
  const taken = { version: '1.0.0', measuredAt: '2026-05-01T12:00:00.000Z' }
  const units = { ...taken, code: await codeOf(foldersOf('units')) }
  await put('test/bench/results.json', { sections: { units, web: { ...taken, code: 'other' } } })
  await put('test/chaos/results.json', { date: '2026-05-02', code: await codeOf(chaosFolders) })

  expect(await outdated(folder)).toEqual([
    'Stale: npm run bench -- web measured other code, version 1.0.0 (2026-05-01)',
  ])
  await rm(folder, { recursive: true })
})

describe('a repository', () => {
  let folder: string

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'manifest-'))
  })
  afterAll(() => rm(folder, { recursive: true }))

  const own = {
    name: 'Chat',
    slug: null,
    stage: 'alpha',
    last_verified: '2026-01-31',
    owner: 'team',
    cms_versions: ['WordPress 1'],
    providers: { anthropic: 'A', bedrock: 'B', demo: 'D' },
    capabilities: [] as Json[],
    security_controls: [],
    cost_controls: [],
    evidence: [],
    figures: [],
    ai: {
      intended_purpose: 'To help.',
      excluded_uses: ['Harm'],
      processing_location: ['own-server'],
      human_oversight: 'Always.',
      known_limitations: ['Errs.'],
    },
  }

  async function put(path: string, content: unknown): Promise<void> {
    await mkdir(join(folder, dirname(path)), { recursive: true })
    await writeFile(join(folder, path), typeof content === 'string' ? content : JSON.stringify(content))
  }

  /** A small repository with the claims, and files beside them. */
  async function built(claims: Partial<typeof own>, files: Record<string, unknown> = {}) {
    await put('package.json', { name: 'chat', version: '1.2.3', license: 'MIT' })
    await put('CHANGELOG.md', '# Changelog\n\n## 2.0.0 (not released)\n\n## 1.2.0 (2026-01-31)\n')
    await put('scripts/manifest/claims.json', { ...own, ...claims })
    for (const stage of ['base', 'local']) {
      const file = `infra/stages/${stage}.json`
      await cp(join(root, file), join(folder, file), { recursive: true })
    }
    for (const [path, content] of Object.entries(files)) await put(path, content)
    return build(folder)
  }

  test('tells version, release, adapters and models from its files', async () => {
    const { manifest } = await built({})

    expect(manifest).toMatchObject({
      latest_release: '1.2.0',
      release_date: '2026-01-31',
      main_version: '1.2.3',
      license: 'MIT',
      repository: 'pkg:generic/chat@1.2.3',
      documentation: null,
      providers: ['A', 'B', 'D'],
      ai: { models: ['none (scripted demo)', 'us.anthropic.claude-sonnet-5-5'] },
    })
    expect(violations(manifest)).toEqual([])
  })

  test('that names its address has evidence below it', async () => {
    const claim = { id: 'a', label: 'A', evidence: 'package.json' }
    const repository = { url: 'git+https://git.example.org/team/chat.git' }
    await built({ capabilities: [claim] })
    await put('package.json', { name: 'chat', version: '1.2.3', license: 'MIT', repository })

    const { manifest, notes } = build(folder)

    expect(manifest.repository).toBe('https://git.example.org/team/chat/')
    expect(manifest.capabilities).toMatchObject([
      { evidence: 'https://git.example.org/team/chat/package.json' },
    ])
    expect(notes).toEqual([])
  })

  test('takes figures from results and settings', async () => {
    const label = '{runs.json#/kept/runs} runs, {settings#/maxActiveConversations} at once'
    const claim = { id: 'runs', label, state: 'measured', evidence: 'runs.json' }

    const { manifest, mistakes } = await built(
      { capabilities: [claim] },
      { 'runs.json': { kept: { runs: 2100 } } },
    )

    expect(mistakes).toEqual([])
    expect(manifest.capabilities).toMatchObject([{ label: '2,100 runs, 3 at once' }])
  })

  test('leaves a claim out until its results are there', async () => {
    const claim = { id: 'later', label: '{later.json#/runs}', state: 'measured', evidence: 'later.json' }

    const { manifest, notes } = await built({ capabilities: [claim] })

    expect(manifest.capabilities).toEqual([])
    expect(notes).toContain('later is left out until there is later.json.')
  })

  test.each([
    [
      'evidence that is not there',
      { evidence: 'gone.ts' },
      'a: its evidence gone.ts is not in the repository',
    ],
    ['evidence outside', { evidence: '../x' }, 'a: its evidence ../x is not in the repository'],
    ['evidence that git ignores', { evidence: 'dist/x' }, 'a: its evidence dist/x is not in the repository'],
    ['no evidence', {}, 'a: a claim that is implemented needs evidence'],
    [
      'a measured claim without figures',
      { state: 'measured', evidence: 'package.json' },
      'a: a measured claim takes its figure from a results file',
    ],
    [
      'a place without a figure',
      { evidence: 'package.json', detail: '{package.json#/runs}' },
      'a: package.json has no figure at /runs',
    ],
  ])('with %s is refused', async (_, claim, mistake) => {
    const { mistakes } = await built({ capabilities: [{ id: 'a', label: 'A', ...claim }] }, { 'dist/x': '' })

    expect(mistakes).toEqual([mistake])
  })

  test('needs no evidence for what is planned', async () => {
    const { mistakes, manifest } = await built({ capabilities: [{ id: 'a', label: 'A', state: 'planned' }] })

    expect([...mistakes, ...violations(manifest)]).toEqual([])
  })
})

describe('the schema', () => {
  const claim = { id: 'a', label: 'A', evidence: 'https://example.org/a' }
  const withClaim = (changes: Json) => ({ capabilities: [{ ...claim, ...changes }] })
  const ai = async (changes: Json) => ({ ai: { ...((await stored()).ai as Json), ...changes } })

  test.each<[string, Json | (() => Promise<Json>), string]>([
    ['another revision', { manifest_version: 2 }, '/manifest_version must be equal to constant'],
    ['an unknown property', { surprise: 1 }, '/ must NOT have additional properties: surprise'],
    ['no name', { name: '' }, '/name must NOT have fewer than 1 characters'],
    ['a slug without a slash', { slug: 'chat' }, '/slug must match pattern "^/[a-z0-9./_-]*$"'],
    ['an unknown stage', { stage: 'done' }, '/stage must be equal to one of the allowed values'],
    ['a date that is none', { last_verified: '2026-02-30' }, '/last_verified must match format "date"'],
    ['a release date that is none', { release_date: 'soon' }, '/release_date must match format "date"'],
    ['a repository that is no address', { repository: 'here' }, '/repository must match format "uri"'],
    ['a license that is null', { license: null }, '/license must be string'],
    ['support that is null', { support: null }, '/support must be string'],
    ['an id in capitals', withClaim({ id: 'A' }), '/capabilities/0/id must match pattern "^[a-z0-9-]+$"'],
    [
      'a claim without evidence',
      withClaim({ evidence: undefined }),
      "/capabilities/0 must have required property 'evidence'",
    ],
    [
      'a measured claim without evidence',
      withClaim({ state: 'measured', evidence: undefined }),
      "/capabilities/0 must have required property 'evidence'",
    ],
    [
      'a claim with more',
      withClaim({ note: 'x' }),
      '/capabilities/0 must NOT have additional properties: note',
    ],
    [
      'an unknown kind of evidence',
      { evidence: [{ type: 'rumour', url: 'https://example.org' }] },
      '/evidence/0/type must be equal to one of the allowed values',
    ],
    [
      'a card without excluded uses',
      () => ai({ excluded_uses: [] }),
      '/ai/excluded_uses must NOT have fewer than 1 items',
    ],
    [
      'a card without limitations',
      () => ai({ known_limitations: [] }),
      '/ai/known_limitations must NOT have fewer than 1 items',
    ],
    [
      'an unknown place of processing',
      () => ai({ processing_location: ['moon'] }),
      '/ai/processing_location/0 must be equal to one of the allowed values',
    ],
    [
      'a card without oversight',
      () => ai({ human_oversight: undefined }),
      "/ai must have required property 'human_oversight'",
    ],
    ['a card with more', () => ai({ mood: 'x' }), '/ai must NOT have additional properties: mood'],
  ])('refuses %s', async (_, changes, violation) => {
    const given = typeof changes === 'function' ? await changes() : changes
    const manifest = JSON.parse(JSON.stringify({ ...(await stored()), ...given }))

    expect(violations(manifest)).toContain(violation)
  })

  test.each([
    'manifest_version',
    'name',
    'slug',
    'stage',
    'main_version',
    'last_verified',
    'owner',
    'license',
    'repository',
  ])('requires %s', async (name) => {
    const { [name]: _, ...rest } = await stored()

    expect(violations(rest)).toEqual([`/ must have required property '${name}'`])
  })

  test('allows null and absence where the specification does', async () => {
    const { manifest_version, name, stage, main_version, last_verified, owner, license, repository } =
      await stored()
    const least = { manifest_version, name, stage, main_version, last_verified, owner, license, repository }

    expect(
      violations({ ...least, slug: '/chat', latest_release: null, docs_version: null, demo: null }),
    ).toEqual([])
    expect(
      violations({ ...least, slug: null, capabilities: [{ id: 'a', label: 'A', state: 'planned' }] }),
    ).toEqual([])
  })
})

test('a difference is reported with both sides', () => {
  const sources = { a: [{ runs: 2100 }], b: 'x' }

  expect(differences({ a: [{ runs: 3000 }], b: 'x' }, sources)).toEqual([
    '-       "runs": 3000',
    '+       "runs": 2100',
  ])
  expect(differences({ a: [] }, { a: [], b: 'x' })).toEqual(['-   "a": []', '+   "a": [],\n+   "b": "x"'])
  expect(differences(sources, sources)).toEqual([])
})
