import type { Browser, Page } from 'playwright'
import { launch } from '../../support/browser.ts'
import { findDesktopChromium } from '../../support/chromium.ts'
import { figure, type Row } from '../result-table.ts'
import { inTurns, median } from '../sample.ts'
import { measureAnswers, openPage, toldBy } from './visit.ts'

const many = 1_000
const visits = 3

/**
 * The kinds of work of a main thread, by the names of Chromium's trace events. `style` includes layout; `other` is
 * tasks, files and markup.
 */
const kinds = {
  script:
    /^(Evaluate|v8|V8\.(?!GC)|FunctionCall|RunMicrotasks|BlinkScheduler_PerformMicrotask|EventDispatch|CustomElementReg)/,
  style:
    /^(UpdateLayoutTree|Layout|Document::(recalc|update|Update|rebuild)|LocalFrameView::(perform|Update)|InlineNode|CSS|ParseAuthor)/,
  paint: /^(PrePaint|Paint|Layerize|Commit|Blink\.|LocalFrameView::Run|IntersectionObserver)/,
  collector: /GC/,
}
type Kind = keyof typeof kinds | 'other'
const order: Kind[] = ['script', 'style', 'paint', 'collector', 'other']

/** Milliseconds of each kind. */
type Work = Record<Kind, number>

/**
 * Divides the cost of a page above its floor by kinds of work. A trace slows all work, so only the shares are
 * meaningful.
 */
export async function profileRows(origin: string): Promise<Row[]> {
  const start = (name: string, count: number) => () => traceStart(origin, name, count)
  const answer = (name: string) => () => traceAnswer(origin, name)
  const steps = {
    'start against the same picture': [start('ours', 0), start('picture', 0)],
    '1,000 messages, windowed': [start('ours', many), start('floor', many)],
    '1,000 messages, all rows': [start('oursWhole', many), start('floorWhole', many)],
    'one more answer at 1,000': [answer('ours'), answer('floor')],
  }
  const rows: Row[] = []
  for (const [what, pages] of Object.entries(steps)) {
    const found = await inTurns(pages, visits, (trace) => trace())
    const [own = [], floor = []] = pages.map(found)
    const beside = order.map((kind) => `${kind} ${middle(own, kind)} against ${middle(floor, kind)}`)
    const sum = (works: Work[]) =>
      median(works.map((work) => order.reduce((all, kind) => all + work[kind], 0)))
    rows.push(figure(`traced: ${what}`, sum(own), 'ms', { note: `${beside.join(', ')} ms` }))
  }
  return rows
}

const middle = (works: Work[], kind: Kind) => median(works.map((work) => work[kind])).toFixed(1)

async function traceStart(origin: string, name: string, count: number): Promise<Work> {
  await using browser = await launch(findDesktopChromium())
  const page = await openPage(browser)
  return await trace(browser, page, async () => {
    await page.goto(`${origin}/${name}/?n=${count}`, { waitUntil: 'commit' })
    await toldBy(page)
  })
}

/** Traces the work of later answers; the first answers are left out, because they load the code highlighting. */
async function traceAnswer(origin: string, name: string): Promise<Work> {
  await using browser = await launch(findDesktopChromium())
  const page = await openPage(browser)
  await page.goto(`${origin}/${name}/?n=${many}`)
  await toldBy(page)
  await page.evaluate(() => window.bench.idle())
  const [, , ...works] = await measureAnswers(page, (add) => trace(browser, page, add))
  const mean = (kind: Kind) => works.reduce((sum, work) => sum + work[kind], 0) / works.length
  return Object.fromEntries(order.map((kind) => [kind, mean(kind)])) as Work
}

/** An event of a trace with its start and length in microseconds; `ph` is `X` for an event with a length. */
type TraceEvent = {
  ph: string
  name: string
  pid: number
  tid: number
  ts: number
  dur?: number
  args?: { name?: string }
}

async function trace(browser: Browser, page: Page, act: () => Promise<void>): Promise<Work> {
  await browser.startTracing(page, { categories: ['toplevel', 'blink', 'devtools.timeline', 'v8'] })
  await act()
  const { traceEvents } = JSON.parse((await browser.stopTracing()).toString()) as {
    traceEvents: TraceEvent[]
  }
  const threads = traceEvents.filter(
    ({ name, args }) => name === 'thread_name' && args?.name === 'CrRendererMain',
  )
  const works = threads.map(({ pid, tid }) =>
    divide(traceEvents.filter((event) => event.pid === pid && event.tid === tid)),
  )
  // The browser keeps a spare renderer that does almost no work, so the busiest renderer counts.
  return works.reduce((most, work) => (work.script > most.script ? work : most))
}

/** Assigns each moment of a thread to the innermost event of a known kind at that moment. */
function divide(events: TraceEvent[]): Work {
  const work: Work = { script: 0, style: 0, paint: 0, collector: 0, other: 0 }
  const open: { kind: Kind; end: number }[] = []
  let since = 0
  const moveTo = (at: number) => {
    for (let last = open.at(-1); last && last.end <= at; last = open.at(-1)) {
      work[last.kind] += (last.end - since) / 1000
      since = last.end
      open.pop()
    }
    const around = open.at(-1)
    if (around) work[around.kind] += (at - since) / 1000
    since = at
  }
  const long = events.filter(({ ph, dur }) => ph === 'X' && dur)
  for (const { name, ts, dur = 0 } of long.toSorted((a, b) => a.ts - b.ts || (b.dur ?? 0) - (a.dur ?? 0))) {
    moveTo(ts)
    open.push({ kind: kindOf(name) ?? open.at(-1)?.kind ?? 'other', end: ts + dur })
  }
  moveTo(Number.POSITIVE_INFINITY)
  return work
}

function kindOf(name: string): Kind | undefined {
  return order.find((kind) => kind !== 'other' && kinds[kind].test(name))
}
