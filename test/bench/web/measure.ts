import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buildPages } from '../../../infra/local/pages.ts'
import { launch, violations, visit as visitPage } from '../../support/browser.ts'
import { findDesktopChromium } from '../../support/chromium.ts'
import { figure, type Row } from '../result-table.ts'
import { inTurns, median } from '../sample.ts'
import { section } from '../section.ts'
import { bundlePage, policy, serve, weighChat } from './build.ts'
import type { FloorPicture } from './page/floor.ts'
import { profileRows } from './profile.ts'
import { openPage, type Seen, visit, visitProposal } from './visit.ts'

const many = 1_000
/** The number of visits of each page; the pages alternate. */
const rounds = 5

/**
 * The pages by name, each with the call that draws its chat. `picture` is the floor with the empty chat's elements and
 * styles.
 */
const calls = {
  ours: 'ours(false)',
  oursWhole: 'ours(true)',
  floor: 'floor(60)',
  floorWhole: 'floor(Infinity)',
}
type Subject = keyof typeof calls | 'picture'

/** The visits of each page without messages, and with 1,000 messages. */
type Found = Record<Subject, { empty: Seen[]; full: Seen[] }>

/**
 * Measures the chat in Chromium with 1,000 messages, and the floor beside it. Each visit has a fresh browser, and the
 * pages alternate. The figure is the processor time of the main thread.
 */
section(async () => {
  await buildPages()
  await using folder = await mkdtempDisposable(join(tmpdir(), 'bench-web-'))
  const [plain, strict] = [await serve(folder.path), await serve(folder.path, policy)]
  for (const [name, call] of Object.entries(calls)) await bundlePage(name, scriptOf(call), folder.path)
  const picture = JSON.stringify(await firstPicture(plain))
  await bundlePage('picture', scriptOf(`floor(60, ${picture})`), folder.path)
  const quality = await assessPage(strict)
  const found = await visitPages(plain)
  const profile = await profileRows(plain)
  return [...timeRows(found), ...profile, ...quality, await proposalRow(plain)]
})

/** Returns the script of a page that makes one call. */
function scriptOf(call: string): string {
  const name = call.slice(0, call.indexOf('('))
  return `import { ${name} } from './page/${name}.ts'\n${call}`
}

/**
 * Returns the elements and stylesheets of the chat without messages. They separate the cost of its look from the cost
 * of its functions.
 */
async function firstPicture(origin: string): Promise<FloorPicture> {
  await using browser = await launch(findDesktopChromium())
  const page = await openPage(browser)
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
}

/**
 * Counts the defects of the chat under a strict policy with 20 messages: axe findings, policy violations, foreign
 * hosts.
 */
async function assessPage(origin: string): Promise<Row[]> {
  await using browser = await launch(findDesktopChromium())
  const { page, complaints, open } = await visitPage(browser, origin)
  const foreign = new Set<string>()
  page.on('request', (request) => {
    const url = new URL(request.url())
    if (url.protocol.startsWith('http') && url.origin !== origin) foreign.add(url.host)
  })
  await open('/ours/?n=20')
  await page.waitForFunction(() => window.bench?.told)
  await page.waitForTimeout(500)
  const broken = complaints.filter((text) => text.startsWith('Policy:'))
  const axe = await violations(page)
  return [
    figure('axe findings', axe.length, '', { most: 0, note: axe.join('; ') }),
    figure('violations of a strict policy', broken.length, '', { most: 0, note: broken.join('; ') }),
    figure('foreign hosts', foreign.size, '', { most: 0, note: [...foreign].join(', ') }),
  ]
}

async function visitPages(origin: string): Promise<Found> {
  const subjects: Subject[] = ['ours', 'oursWhole', 'floor', 'floorWhole', 'picture']
  const seen = await inTurns(subjects, rounds, async (name) => {
    const empty = await visit(origin, name, 0)
    return { empty, full: name === 'picture' ? [] : [await visit(origin, name, many)] }
  })
  const sorted = subjects.map((name) => {
    const visits = seen(name)
    return [name, { empty: visits.map(({ empty }) => empty), full: visits.flatMap(({ full }) => full) }]
  })
  return Object.fromEntries(sorted) as Found
}

type Time = 'cpu' | 'laterCpu' | 'keyCpu' | 'heapMegabytes' | 'codeCpu' | 'inputMs'

/** Returns the rows with the median times of each page's visits. */
function timeRows(found: Found): Row[] {
  const empty = (name: Subject, time: Time) => median(found[name].empty.map((seen) => seen[time]))
  const full = (name: Subject, time: Time) => median(found[name].full.map((seen) => seen[time]))
  /** Returns the processor time of a full page without that of the empty page. */
  const drawing = (name: Subject) => full(name, 'cpu') - empty(name, 'cpu')
  const appending = (name: Subject) => median(found[name].full.flatMap((seen) => seen.appendCpu))
  const beside = (ms: number, floorMs: number) =>
    `${(ms / floorMs).toFixed(2)} times the floor, ${floorMs.toFixed(1)} ms`
  const boot = (what: string, base: Subject) => {
    const [ms, baseMs] = [empty('ours', 'cpu'), empty(base, 'cpu')]
    const note = `${ms.toFixed(0)} against ${baseMs.toFixed(0)} ms`
    return figure(what, ms / baseMs, 'times the processor time', { most: 1.1, note })
  }
  const { raw, gzip, brotli } = weighChat()
  const shown = found.ours.full.at(-1)?.shown ?? 0
  const cpu = 'ms processor time'
  const notes = {
    bytes: `${kilobytes(raw)} KB plain, ${kilobytes(brotli)} KB brotli`,
    input: `the floor ${empty('floor', 'inputMs').toFixed(0)} ms`,
    windowed: `${shown} drawn; ${beside(drawing('ours'), drawing('floor'))}`,
    whole: `asked for window by window; the floor ${drawing('floorWhole').toFixed(0)} ms at once`,
    append: `half of them with code, which gets its colours; ${beside(appending('ours'), appending('floor'))}`,
    key: `the floor ${full('floor', 'keyCpu').toFixed(1)} ms`,
    heap: `the floor ${full('floor', 'heapMegabytes').toFixed(1)} MB`,
  }
  return [
    figure('script before parts on demand', kilobytes(gzip), 'KB gzip', { most: 43, note: notes.bytes }),
    boot('boot against the Lit floor with the same picture', 'picture'),
    boot('boot against the Lit floor', 'floor'),
    figure('first usable input', empty('ours', 'inputMs'), 'ms', { note: notes.input }),
    figure('1,000 messages, windowed', drawing('ours'), cpu, { most: 85, note: notes.windowed }),
    figure('1,000 messages, all rows', drawing('oursWhole'), cpu, { most: 320, note: notes.whole }),
    figure('parts on demand, when the browser has time', full('ours', 'laterCpu'), cpu, {
      note: 'three seconds from the first picture on',
    }),
    figure('the first answer with code at 1,000', full('ours', 'codeCpu'), cpu, {
      note: 'with what colours code, which comes with it',
    }),
    figure('one more answer at 1,000', appending('ours'), cpu, { most: 8, note: notes.append }),
    figure('key stroke at 1,000', full('ours', 'keyCpu'), cpu, { most: 1.5, note: notes.key }),
    figure('heap at 1,000', full('ours', 'heapMegabytes'), 'MB', { most: 3.3, note: notes.heap }),
  ]
}

const kilobytes = (bytes: number) => Math.round((bytes / 1024) * 10) / 10

/** The numbers of records in the measured proposals. */
const sizes = [10, 50, 200] as const

/** Checks that a large proposal costs no more for each record than a small one. */
async function proposalRow(origin: string): Promise<Row> {
  const times = await inTurns(sizes, rounds, (size) => visitProposal(origin, size))
  const [few = 0, some = 0, most = 0] = sizes.map((size) => median(times(size)))
  const all = [few, some, most].map((ms) => ms.toFixed(0)).join(', ')
  const note = `${sizes.join(', ')} records: ${all} ms with the start of the page`
  return figure('a record more in a proposal', (most - few) / (sizes[2] - sizes[0]), 'ms processor time', {
    most: 1.5,
    note,
  })
}
