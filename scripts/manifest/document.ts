import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import * as z from 'zod'
import { own } from '../../core/base/json.ts'
import { merge } from '../../core/stage/settings/check.ts'
import { Provider, Settings } from '../../core/stage/settings/schema.ts'
import { tools } from '../../core/tool/tools.ts'
import { latestRelease } from './changelog.ts'

/**
 * Identifies the product and its files by a package URL (https://github.com/package-url/purl-spec). It is used for a
 * required URI if package.json names no repository. A package URL is a name, not an address.
 */
const packageUrl = ({ name, version }: z.infer<typeof Package>) => `pkg:generic/${name}@${version}`

const Package = z.object({
  name: z.string(),
  version: z.string(),
  license: z.string(),
  repository: z.union([z.string(), z.object({ url: z.string() })]).optional(),
  homepage: z.url().optional(),
})

/** The repository of a manifest: its folder, the prefix of its URLs, and the errors and notes found so far. */
type Sources = { root: string; base: string; mistakes: string[]; notes: string[] }

const jsonIn = (root: string, path: string) => JSON.parse(readFileSync(join(root, path), 'utf8'))
const claimsIn = (root: string) => Claims.parse(jsonIn(root, 'scripts/manifest/claims.json'))

/**
 * Builds the manifest from the files of the repository in a folder; does not use git. Returns it with the errors in its
 * sources, and with notes for the reader of the check.
 */
export function build(root: string) {
  const product = Package.parse(jsonIn(root, 'package.json'))
  const claims = claimsIn(root)
  const { name, slug, stage, last_verified, owner, cms_versions, providers, evidence, ai } = claims
  const release = latestRelease(readFileSync(join(root, 'CHANGELOG.md'), 'utf8'))
  const repository = address(product)
  const sources: Sources = { root, base: repository ?? `${packageUrl(product)}#`, mistakes: [], notes: [] }
  const { mistakes, notes } = sources
  if (!repository) notes.push(`package.json names no repository: ${packageUrl(product)} names the product.`)
  if (release && last_verified < release.date)
    mistakes.push(`last_verified is ${last_verified}, before the release of ${release.date}`)

  const complete = (list: Claim[]) => list.flatMap((claim) => completeClaim(sources, claim))
  const manifest = {
    manifest_version: 1,
    name,
    slug,
    stage,
    latest_release: release?.version ?? null,
    release_date: release?.date ?? null,
    main_version: product.version,
    docs_version: product.version,
    last_verified,
    owner,
    cms_versions,
    capabilities: complete(claims.capabilities),
    security_controls: complete(claims.security_controls),
    cost_controls: complete(claims.cost_controls),
    providers: Provider.shape.adapter.options.map((adapter) => providers[adapter]),
    license: product.license,
    repository: repository ?? packageUrl(product),
    documentation: product.homepage ?? null,
    demo: null,
    // Leaves out a measurement whose results do not exist.
    evidence: evidence
      .filter(({ path, type }) => type !== 'measurement' || existsSync(join(root, path)))
      .map(({ path, ...link }) => {
        const url = linkTo(sources, path, `evidence "${link.label ?? link.type}"`)
        return { ...link, url }
      }),
    ai: fill(sources, { ...ai, models: models(root) }, 'ai'),
  }
  return { manifest, mistakes, notes }
}

/** Returns the URL of a file that proves a claim. */
function linkTo({ root, base, mistakes }: Sources, path: string, of: string): string {
  if (!inRepository(root, path)) mistakes.push(`${of}: its evidence ${path} is not in the repository`)
  return base + path
}

/**
 * Returns a list with the claim and its figures. If a figure has no results yet, adds a note to the sources and returns
 * an empty list.
 */
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
  const link = evidence === undefined ? {} : { evidence: linkTo(sources, evidence, id) }
  return [{ id, ...fill(sources, { label, detail }, id), state, ...link }]
}

/**
 * Fills the figures into all texts of a tree. A reference without a value is an error, and its text stays unchanged.
 */
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

/** Returns the model ids of all stages, without the demo model. */
function models(root: string): string[] {
  const base = Settings.parse(jsonIn(root, 'infra/stages/base.json'))
  const ids = readdirSync(join(root, 'infra/stages')).flatMap((name) => {
    const { settings } = merge(base, jsonIn(root, `infra/stages/${name}`))
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

/** True if the path is a file of the repository: neither outside of it nor in a folder that git ignores. */
function inRepository(root: string, path: string): boolean {
  if (!/^[\w.][\w./-]*$/.test(path) || path.split('/').includes('..')) return false
  if (/^(node_modules|dist|coverage|\.local|\.sst|\.git)(\/|$)/.test(path)) return false
  return existsSync(join(root, path))
}

const begin = '<!-- Written by npm run manifest, from the results files. -->'
const end = '<!-- End of what npm run manifest writes. -->'

/** Returns README.md with its table of figures from the results files. Throws if a figure or the table is missing. */
export function readme(root: string): string {
  const text = readFileSync(join(root, 'README.md'), 'utf8')
  const rows = claimsIn(root).figures.map(
    ({ figure, value, command }) => `| ${figure} | ${filled(root, value)} | \`${command}\` |`,
  )
  const table = ['| Figure | Measured | Command |', '|---|---|---|', ...rows].join('\n')
  const [before, rest] = text.split(begin)
  const after = rest?.split(end)[1]
  if (before === undefined || after === undefined) throw new Error('README.md has no place for figures.')
  return `${before}${begin}\n\n${table}\n\n${end}${after}`
}

/** A claim in the source file: evidence is a path of the repository, and figures are references in braces. */
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

/** The content of `claims.json`: everything in the manifest that no other file of the repository contains. */
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
  /** The AI capability card without its models; the stage files name the models. */
  ai: z.looseObject({}),
  /** The table of figures in README.md. */
  figures: z.array(Figure),
})

/**
 * Figures are never typed by hand: a text contains the file and the position in it, `{test/chaos/results.json#/runs}`.
 * `{settings#/maxActiveConversations}` is the default of a setting, `{tools#/length}` the number of built-in tools. A
 * row of a bench is identified by its name and its unit:
 * `{test/bench/results.json#/sections/units/rows/[send|requests]/value}`.
 */
const reference = /\{([\w./-]+)#(\/[^{}]+)\}/g

/**
 * Fills the figures into a text. Throws an error with a readable sentence if a reference leads to neither a number nor
 * a text.
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
  const compute = own(computed, source)
  if (compute) return compute()
  if (!existsSync(join(root, source))) throw new Error(`${source} is not there`)
  return jsonIn(root, source)
}

/** Sources that are computed, not files. */
const computed: Record<string, () => unknown> = {
  settings: () => Settings.parse({ providers: [], models: [], configurations: [], tasks: [] }),
  tools: () => tools,
}

function at(value: unknown, pointer: string): unknown {
  let found = value
  for (const name of pointer.slice(1).split('/')) {
    const [, what, unit] = /^\[(.+)\|(.*)\]$/.exec(name) ?? []
    const inner = found as Row[] & Record<string, unknown>
    found = what === undefined ? inner?.[name] : inner?.find((row) => row.what === what && row.unit === unit)
  }
  return found
}

type Row = { what: string; unit: string }
