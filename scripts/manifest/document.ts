import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { merge } from '../../core/stage/settings/check.ts'
import { Provider, Settings } from '../../core/stage/settings/schema.ts'
import { tools } from '../../core/tool/tools.ts'
import { latestRelease } from './changelog.ts'

/**
 * Identifies the product and a file of it by a package URL (https://github.com/package-url/purl-spec), for a required
 * URI when package.json names no repository. A package URL is a name, not an address.
 */
const packageUrl = ({ name, version }: z.infer<typeof Package>) => `pkg:generic/${name}@${version}`

const Package = z.object({
  name: z.string(),
  version: z.string(),
  license: z.string(),
  repository: z.union([z.string(), z.object({ url: z.string() })]).optional(),
  homepage: z.url().optional(),
})

/** The manifest, the mistakes in its sources, and notes for readers of the check. */
export type Built = { manifest: Record<string, unknown>; mistakes: string[]; notes: string[] }

/** The repository that a manifest is built of: its folder, the beginning of its addresses, and what is found in it. */
type Sources = { root: string; base: string; mistakes: string[]; notes: string[] }

/** Builds the manifest of the repository at a folder from its files; git is not asked. */
export function build(root: string): Built {
  const text = (path: string) => readFileSync(join(root, path), 'utf8')
  const own = Package.parse(JSON.parse(text('package.json')))
  const claims = Claims.parse(JSON.parse(text('scripts/manifest/claims.json')))
  const { name, slug, stage, last_verified, owner, cms_versions, providers, evidence, ai } = claims
  const release = latestRelease(text('CHANGELOG.md'))
  const repository = address(own)
  const sources: Sources = { root, base: repository ?? `${packageUrl(own)}#`, mistakes: [], notes: [] }
  const { mistakes, notes } = sources
  if (!repository) notes.push(`package.json names no repository: ${packageUrl(own)} names the product.`)
  if (release && last_verified < release.date)
    mistakes.push(`last_verified is ${last_verified}, before the release of ${release.date}`)

  const manifest = {
    manifest_version: 1,
    name,
    slug,
    stage,
    latest_release: release?.version ?? null,
    release_date: release?.date ?? null,
    main_version: own.version,
    docs_version: own.version,
    last_verified,
    owner,
    cms_versions,
    capabilities: claims.capabilities.flatMap((claim) => completeClaim(sources, claim)),
    security_controls: claims.security_controls.flatMap((claim) => completeClaim(sources, claim)),
    cost_controls: claims.cost_controls.flatMap((claim) => completeClaim(sources, claim)),
    providers: Provider.shape.adapter.options.map((adapter) => providers[adapter]),
    license: own.license,
    repository: repository ?? packageUrl(own),
    documentation: own.homepage ?? null,
    demo: null,
    // A measurement that nobody made is left out.
    evidence: evidence
      .filter(({ path, type }) => type !== 'measurement' || existsSync(join(root, path)))
      .map(({ path, ...link }) => ({
        ...link,
        url: linkTo(sources, path, `evidence "${link.label ?? link.type}"`),
      })),
    ai: fill(sources, { ...ai, models: models(root) }, 'ai'),
  }
  return { manifest, mistakes, notes }
}

/** The address of a file that proves a claim. */
function linkTo({ root, base, mistakes }: Sources, path: string, of: string): string {
  if (!inRepository(root, path)) mistakes.push(`${of}: its evidence ${path} is not in the repository`)
  return base + path
}

/** A claim with its figures; none, with a note, until there are the results that it takes them from. */
function completeClaim(sources: Sources, claim: Claim): object[] {
  const { id, label, detail, state = 'implemented', evidence } = claim
  const figures = [...JSON.stringify([label, detail]).matchAll(reference)]
    .map(([, name]) => String(name))
    .filter((name) => !Object.hasOwn(computed, name))
  const missing = new Set(figures.filter((path) => !existsSync(join(sources.root, path))))
  if (missing.size > 0) {
    sources.notes.push(`${id} is left out until there is ${[...missing].join(', ')}.`)
    return []
  }
  if (state !== 'planned' && evidence === undefined)
    sources.mistakes.push(`${id}: a claim that is ${state} needs evidence`)
  if (state === 'measured' && figures.length === 0)
    sources.mistakes.push(`${id}: a measured claim takes its figure from a results file`)
  return [
    {
      id,
      ...fill(sources, { label, detail }, id),
      state,
      ...(evidence !== undefined && { evidence: linkTo(sources, evidence, id) }),
    },
  ]
}

/** Fills the figures into all texts of a tree. A text with a place that has none is a mistake, and stays as it is. */
function fill<T extends object>({ root, mistakes }: Sources, tree: T, of: string): T {
  return JSON.parse(JSON.stringify(tree), (_, value) => {
    try {
      return typeof value === 'string' ? filled(root, value) : value
    } catch (error) {
      mistakes.push(`${of}: ${(error as Error).message}`)
      return value
    }
  })
}

/** The model ids of all stages; the demo is none. */
function models(root: string): string[] {
  const folder = join(root, 'infra/stages')
  const json = (name: string) => JSON.parse(readFileSync(join(folder, name), 'utf8'))
  const base = Settings.parse(json('base.json'))
  const ids = readdirSync(folder).flatMap((name) => {
    const { settings } = merge(base, json(name))
    if (!settings) throw new Error(`infra/stages/${name} is not valid`)
    const isDemo = (uid: number) =>
      settings.providers.find((provider) => provider.uid === uid)?.adapter === 'demo'
    return settings.models.map((model) => (isDemo(model.provider) ? 'none (scripted demo)' : model.modelId))
  })
  return [...new Set(ids)].sort()
}

function address({ repository }: z.infer<typeof Package>): string | undefined {
  const url = typeof repository === 'string' ? repository : repository?.url
  return url && `${url.replace(/^git\+/, '').replace(/(\.git)?\/?$/, '')}/`
}

/** True for a path that the repository holds: neither outside of it nor in a folder that git ignores. */
function inRepository(root: string, path: string): boolean {
  if (!/^[\w.][\w./-]*$/.test(path) || path.split('/').includes('..')) return false
  if (/^(node_modules|dist|coverage|\.local|\.sst|\.git)(\/|$)/.test(path)) return false
  return existsSync(join(root, path))
}

const begin = '<!-- Written by npm run manifest, from the results files. -->'
const end = '<!-- End of what npm run manifest writes. -->'

/** README.md with its table of figures as the results files have them. Throws where a figure or the place is missing. */
export function readme(root: string): string {
  const text = readFileSync(join(root, 'README.md'), 'utf8')
  const { figures } = Claims.parse(
    JSON.parse(readFileSync(join(root, 'scripts/manifest/claims.json'), 'utf8')),
  )
  const rows = figures.map(
    ({ figure, value, command }) => `| ${figure} | ${filled(root, value)} | \`${command}\` |`,
  )
  const table = ['| Figure | Measured | Command |', '|---|---|---|', ...rows].join('\n')
  const [before, rest] = text.split(begin)
  const after = rest?.split(end)[1]
  if (before === undefined || after === undefined) throw new Error('README.md has no place for figures.')
  return `${before}${begin}\n\n${table}\n\n${end}${after}`
}

/** A claim as people write it: evidence is a path of the repository, and figures are in braces. */
const Claim = z.strictObject({
  id: z.string(),
  label: z.string(),
  detail: z.string().optional(),
  state: z.enum(['planned', 'experimental', 'implemented', 'measured']).optional(),
  evidence: z.string().optional(),
})
type Claim = z.infer<typeof Claim>

const Evidence = z.strictObject({ type: z.string(), label: z.string().optional(), path: z.string() })

/** A figure of README.md, with the command that reproduces it. */
const Figure = z.strictObject({ figure: z.string(), value: z.string(), command: z.string() })

/** `claims.json`: all of the manifest that no other file of the repository says. */
const Claims = z.strictObject({
  name: z.string(),
  slug: z.string().nullable(),
  stage: z.string(),
  last_verified: z.string(),
  owner: z.string(),
  /** The CMSs that the tests of the repository run, with their versions. */
  cms_versions: z.array(z.string()),
  /** The services that each adapter connects to. */
  providers: z.record(Provider.shape.adapter, z.string()),
  capabilities: z.array(Claim),
  security_controls: z.array(Claim),
  cost_controls: z.array(Claim),
  evidence: z.array(Evidence),
  /** The AI capability card without its models, which the stage files name. */
  ai: z.looseObject({}),
  /** The table of figures in README.md. */
  figures: z.array(Figure),
})

/**
 * Figures are never typed by hand: a text names the file and the place in it, `{test/chaos/results.json#/runs}`, or
 * `{settings#/maxActiveConversations}` for the default of a setting, or `{tools#/length}` for the built-in tools. A row of a bench is named by what it measures and
 * its unit: `{scripts/bench/results.json#/sections/units/rows/[send|requests]/value}`.
 */
const reference = /\{([\w./-]+)#(\/[^{}]+)\}/g

/**
 * Fills the figures into a text. Throws an error with a readable sentence if a place contains neither number nor text.
 */
function filled(root: string, text: string): string {
  return text.replace(reference, (_, source: string, pointer: string) => {
    const value = at(read(root, source), pointer)
    if (typeof value === 'number') return value.toLocaleString('en-US', { maximumFractionDigits: 2 })
    if (typeof value === 'string') return value
    throw new Error(`${source} has no figure at ${pointer}`)
  })
}

function read(root: string, source: string): unknown {
  const compute = Object.hasOwn(computed, source) ? computed[source] : undefined
  if (compute) return compute()
  const file = join(root, source)
  if (!existsSync(file)) throw new Error(`${source} is not there`)
  return JSON.parse(readFileSync(file, 'utf8'))
}

/** Sources that are no file. */
const computed: Record<string, () => unknown> = {
  settings: () => Settings.parse({ providers: [], models: [], configurations: [], tasks: [] }),
  tools: () => tools,
}

function at(value: unknown, pointer: string): unknown {
  return pointer
    .slice(1)
    .split('/')
    .reduce((inner: unknown, name) => {
      const row = /^\[(.+)\|(.*)\]$/.exec(name)
      if (!row) return (inner as Record<string, unknown> | undefined)?.[name]
      return (inner as Row[] | undefined)?.find(({ what, unit }) => what === row[1] && unit === row[2])
    }, value)
}

type Row = { what: string; unit: string }
