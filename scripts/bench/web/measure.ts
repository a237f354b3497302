import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildPages } from '../../../infra/local/pages.ts'
import { launch, violations } from '../../../test/support/browser.ts'
import { figure, type Row } from '../result-table.ts'
import { median } from '../sample.ts'
import { section } from '../section.ts'
import { bundle, names, policy, type Subject, serve } from './build.ts'
import type { FloorPicture } from './page/floor.ts'
import { type Seen, visit, visitProposal } from './visit.ts'

const many = 1_000
/** Visits of each subject of the repository, in turn. */
const rounds = 5
/** Visits of a peer; slow ones, whose distance is an order of magnitude, get one. */
const peerRounds = 2
const slow = new Set(['assistant-ui', 'botframework', 'vue-advanced-chat'])

/** All that is known of a subject. */
type Found = { subject: Subject; quality: Quality; empty: Seen[]; full: Seen[]; failure?: string }

/**
 * Measures the chat in Chromium with 1,000 messages beside its peers. Each visit has a fresh browser, the subjects
 * alternate, and the figure is the processor time of the main thread.
 */
section(async () => {
  await buildPages()
  const folder = await mkdtemp(join(tmpdir(), 'bench-web-'))
  const [plain, strict] = [await serve(folder), await serve(folder, policy)]
  try {
    const { own, peers } = names()
    const found: Found[] = []
    for (const name of [...own, ...peers]) {
      found.push(await prepare(name, peers.includes(name), folder))
    }
    found.push({ ...nothingYet(), subject: await bundlePicture(plain.origin, folder) })
    for (const one of found)
      one.quality = await assessPage(plain.origin, strict.origin, one.subject.name).catch(() => unknown)
    for (let round = 0; round < rounds; round++) for (const one of found) await take(one, plain.origin, round)
    const proposals = await measureProposals(plain.origin)
    return [...bounds(found), ...proposals, ...found.filter(({ subject }) => subject.isPeer).flatMap(row)]
  } finally {
    plain.server.close()
    strict.server.close()
    await rm(folder, { recursive: true, force: true })
  }
})

/** Records of the proposals that are measured, in turn. */
const sizes = [10, 50, 200] as const

/** A proposal costs no more for each record when it has many. */
async function measureProposals(origin: string): Promise<Row[]> {
  const times = new Map<number, number[]>(sizes.map((size) => [size, []]))
  for (let round = 0; round < rounds; round++)
    for (const size of sizes) times.get(size)?.push(await visitProposal(origin, size))
  const middles = sizes.map((size) => median(times.get(size) ?? []))
  const [few = 0, most = 0] = [middles[0], middles.at(-1)]
  return [
    figure(
      'a record more in a proposal',
      (most - few) / (sizes[2] - sizes[0]),
      'ms processor time',
      1.5,
      `10, 50, 200 records: ${middles.map((ms) => ms.toFixed(0)).join(', ')} ms with the start of the page`,
    ),
  ]
}

/** Reports a peer that cannot be built here and measures the others. */
async function prepare(name: string, isPeer: boolean, folder: string): Promise<Found> {
  const found = nothingYet()
  try {
    return { ...found, subject: await bundle(name, isPeer, folder) }
  } catch (error) {
    if (!isPeer) throw error
    const nothing = { raw: Number.NaN, gzip: Number.NaN, brotli: Number.NaN }
    const failure = (error as Error).message.slice(0, 200)
    return { ...found, subject: { name, isPeer, bytes: nothing }, failure }
  }
}

const nothingYet = (): Omit<Found, 'subject'> => ({ quality: unknown, empty: [], full: [] })
const unknown: Quality = { axe: ['not looked at'], csp: Number.NaN, foreignHosts: [] }

async function take(one: Found, origin: string, round: number): Promise<void> {
  const { name, isPeer } = one.subject
  const wanted = isPeer ? peerRounds : rounds
  if (one.failure || round >= (slow.has(name) ? 1 : wanted)) return
  try {
    one.empty.push(await visit(origin, name, 0))
    if (name === 'picture') return
    one.full.push(await visit(origin, name, many))
  } catch (error) {
    if (!isPeer) throw error
    one.failure = (error as Error).message.slice(0, 200)
  }
}

type Time = 'cpu' | 'laterCpu' | 'keyCpu' | 'heapMegabytes' | 'codeCpu' | 'inputMs'
const of = (seen: Seen[], name: Time) => median(seen.map((one) => one[name]))
const bootCpu = ({ empty }: Found) => of(empty, 'cpu')
/** Subtracts the cost of the empty page. */
const renderCpu = (one: Found) => of(one.full, 'cpu') - bootCpu(one)
const appendCpu = ({ full }: Found) => median(full.flatMap((seen) => seen.appendCpu))
const kilobytes = (bytes: number) => Math.round((bytes / 1024) * 10) / 10

const compareWithFloor = (value: number, floor: number) =>
  `${(value / floor).toFixed(2)} times the floor, ${floor.toFixed(1)} ms`

function bounds(found: Found[]): Row[] {
  const named = (name: string) => found.find(({ subject }) => subject.name === name) as Found
  const [ours, all, floor, floorAll] = ['ours', 'ours-all-rows', 'floor', 'floor-all-rows'].map(named) as [
    Found,
    Found,
    Found,
    Found,
  ]
  const heapOfBest = of(named('deep-chat').full, 'heapMegabytes')
  const { axe, csp, foreignHosts } = ours.quality
  const shown = ours.full.at(-1)?.shown ?? 0
  return [
    figure(
      'script before parts on demand',
      kilobytes(ours.subject.bytes.gzip),
      'KB gzip',
      43,
      `${kilobytes(ours.subject.bytes.raw)} KB plain, ${kilobytes(ours.subject.bytes.brotli)} KB brotli`,
    ),
    figure(
      'boot against the Lit floor with the same picture',
      bootCpu(ours) / bootCpu(named('picture')),
      'times the processor time',
      1.1,
      `${bootCpu(ours).toFixed(0)} against ${bootCpu(named('picture')).toFixed(0)} ms`,
    ),
    figure(
      'boot against the Lit floor',
      bootCpu(ours) / bootCpu(floor),
      'times the processor time',
      1.1,
      `${bootCpu(ours).toFixed(0)} against ${bootCpu(floor).toFixed(0)} ms`,
    ),
    figure(
      'first usable input',
      of(ours.empty, 'inputMs'),
      'ms',
      undefined,
      `the floor ${of(floor.empty, 'inputMs').toFixed(0)} ms`,
    ),
    figure(
      '1,000 messages, windowed',
      renderCpu(ours),
      'ms processor time',
      85,
      `${shown} drawn; ${compareWithFloor(renderCpu(ours), renderCpu(floor))}`,
    ),
    figure(
      '1,000 messages, all rows',
      renderCpu(all),
      'ms processor time',
      320,
      `asked for window by window; the floor ${renderCpu(floorAll).toFixed(0)} ms at once`,
    ),
    figure(
      'parts on demand, when the browser has time',
      of(ours.full, 'laterCpu'),
      'ms processor time',
      undefined,
      'three seconds from the first picture on',
    ),
    figure(
      'the first answer with code at 1,000',
      of(ours.full, 'codeCpu'),
      'ms processor time',
      undefined,
      'with what colours code, which comes with it',
    ),
    figure(
      'one more answer at 1,000',
      appendCpu(ours),
      'ms processor time',
      8,
      `half of them with code, which gets its colours; ${compareWithFloor(appendCpu(ours), appendCpu(floor))}`,
    ),
    figure(
      'key stroke at 1,000',
      of(ours.full, 'keyCpu'),
      'ms processor time',
      1.5,
      `the floor ${of(floor.full, 'keyCpu').toFixed(1)} ms`,
    ),
    figure(
      'heap at 1,000',
      of(ours.full, 'heapMegabytes'),
      'MB',
      3.3,
      `deep-chat ${heapOfBest.toFixed(1)} MB`,
    ),
    figure('axe findings', axe.length, '', 0, axe.join('; ')),
    figure('violations of a strict policy', csp, '', 0),
    figure('foreign hosts', foreignHosts.length, '', 0, foreignHosts.join(', ')),
  ]
}

/** The rows of a peer in the table; the row of a peer that did not run gives the reason. */
function row(one: Found): Row[] {
  const { subject, quality, full, empty, failure } = one
  const { name, bytes } = subject
  const figures = [
    `boot ${bootCpu(one).toFixed(0)} ms, input ${of(empty, 'inputMs').toFixed(0)} ms`,
    `1,000 messages ${renderCpu(one).toFixed(0)} ms (${full.at(-1)?.shown ?? 0} drawn)`,
    `append ${appendCpu(one).toFixed(0)} ms, key ${of(full, 'keyCpu').toFixed(1)} ms`,
    `heap ${of(full, 'heapMegabytes').toFixed(1)} MB`,
    `axe ${quality.axe.length}, policy ${quality.csp}, foreign hosts ${quality.foreignHosts.length}`,
  ]
  const note = full.length > 0 ? figures.join('; ') : `did not run: ${failure}`
  return [{ what: `peer ${name}`, value: kilobytes(bytes.gzip), unit: 'KB gzip', note }]
}

const floor = fileURLToPath(new URL('page/floor.ts', import.meta.url))

/**
 * A page with the chat's first picture: the same elements under the same stylesheets. The chat's cost beyond it is for
 * its functions, not for its look.
 */
async function bundlePicture(origin: string, folder: string): Promise<Subject> {
  const entry = join(folder, 'picture.ts')
  const call = `floor(60, ${JSON.stringify(await taken(origin))})`
  await writeFile(entry, `import { floor } from ${JSON.stringify(floor)}\n${call}\n`)
  return bundle('picture', false, folder, entry)
}

async function taken(origin: string): Promise<FloorPicture> {
  const browser = await launch()
  try {
    const page = await browser.newPage({ viewport: { width: 1280, height: 800 } })
    await page.goto(`${origin}/ours/?n=0`)
    await page.waitForFunction(() => window.bench?.told)
    return await page.evaluate(() => {
      const root = document.querySelector('ai-chat-module')?.shadowRoot
      const text = (sheet: CSSStyleSheet) => [...sheet.cssRules].map((rule) => rule.cssText).join('\n')
      return {
        markup: (root?.innerHTML ?? '').replace(/<!--.*?-->/gs, ''),
        sheets: (root?.adoptedStyleSheets ?? []).map(text),
      }
    })
  } finally {
    await browser.close()
  }
}

/** The defects of a page of 20 messages, apart from its speed. */
type Quality = { axe: string[]; csp: number; foreignHosts: string[] }

/** Looks at a page on the plain server with axe and for foreign hosts, and on the strict one for broken policies. */
async function assessPage(plain: string, strict: string, name: string): Promise<Quality> {
  const browser = await launch()
  try {
    const foreign = new Set<string>()
    const page = await browser.newPage()
    page.on('request', (request) => {
      const url = new URL(request.url())
      if (url.protocol.startsWith('http') && url.origin !== plain) foreign.add(url.host)
    })
    await page.goto(`${plain}/${name}/?n=20`)
    await page.waitForFunction(() => window.bench?.told, undefined, { timeout: 60_000 })
    const axe = await violations(page)
    const bound = await browser.newPage()
    await bound.addInitScript(() => {
      document.addEventListener('securitypolicyviolation', () => {
        const count = Number(sessionStorage.getItem('violations') ?? 0)
        sessionStorage.setItem('violations', String(count + 1))
      })
    })
    await bound.goto(`${strict}/${name}/?n=20`)
    await bound
      .waitForFunction(() => window.bench?.told, undefined, { timeout: 60_000 })
      .catch(() => undefined)
    await bound.waitForTimeout(500)
    const csp = await bound.evaluate(() => Number(sessionStorage.getItem('violations') ?? 0))
    return { axe, csp, foreignHosts: [...foreign] }
  } finally {
    await browser.close()
  }
}
