import type { Browser, CDPSession, Page } from 'playwright'
import { launch } from '../../support/browser.ts'
import { findDesktopChromium } from '../../support/chromium.ts'
import type { Told } from './page/harness.ts'

/**
 * The measurements of one visit. Times are milliseconds; `cpu` counts only the main thread. `laterCpu` is for the parts
 * that are fetched when the browser is idle. `codeCpu` is for the first answer with code, which loads the code
 * highlighting.
 */
export type Seen = Told & {
  cpu: number
  laterCpu: number
  keyCpu: number
  heapMegabytes: number
  codeCpu: number
  appendCpu: number[]
}

const letters = 'hello wide world ok!'
/** The number of measured answers; the first one, with code, has its own figure. */
const answerCount = 9
/** Work within this time after the paint of a message counts for the message, in milliseconds. */
const afterMs = 60
const resultTimeoutMs = 150_000

/** Opens a page of the size that every measurement has. */
export const openPage = (browser: Browser): Promise<Page> =>
  browser.newPage({ viewport: { width: 1280, height: 800 } })

/** A page that is ready, and the processor time of its main thread so far. */
type Visit = { page: Page; cdp: CDPSession; told: Told; cpu: number }

/** Opens a page of the bench in a fresh browser. Throws the error that the page reports. */
async function inBrowser<T>(origin: string, path: string, look: (visit: Visit) => Promise<T>): Promise<T> {
  await using browser = await launch(findDesktopChromium())
  const page = await openPage(browser)
  const cdp = await page.context().newCDPSession(page)
  await cdp.send('Performance.enable', { timeDomain: 'threadTicks' })
  await page.goto(`${origin}/none.html`)
  const before = await busy(cdp)
  await page.goto(`${origin}${path}`, { waitUntil: 'commit' })
  const told = await toldBy(page)
  const cpu = (await busy(cdp)) - before
  if (told.error) throw new Error(`${path}: ${told.error}`)
  return await look({ page, cdp, told, cpu })
}

/** Opens a page with `count` messages, types in it, and appends answers. */
export function visit(origin: string, name: string, count: number): Promise<Seen> {
  return inBrowser(origin, `/${name}/?n=${count}`, async ({ page, cdp, told, cpu }) => {
    const laterCpu = await used(cdp, () => page.evaluate(() => window.bench.idle()))
    const keyCpu = await type(page, cdp)
    const heapMegabytes = await heap(cdp)
    const [codeCpu = 0, ...appendCpu] = count > 0 ? await measureAnswers(page, (add) => used(cdp, add)) : []
    return { ...told, cpu, laterCpu, keyCpu, heapMegabytes, codeCpu, appendCpu }
  })
}

/**
 * Measures the main thread's processor time, in milliseconds, until a proposal of `rows` records is complete and
 * stable.
 */
export function visitProposal(origin: string, rows: number): Promise<number> {
  return inBrowser(origin, `/ours/?n=2&rows=${rows}`, async ({ page, cpu }) => {
    const drawn = await page.locator('.approval [data-row]').count()
    if (drawn !== rows) throw new Error(`${drawn} of ${rows} rows were drawn`)
    return cpu
  })
}

/** Returns the processor time of the main thread during an act, in milliseconds. */
async function used(cdp: CDPSession, act: () => Promise<unknown>): Promise<number> {
  const before = await busy(cdp)
  await act()
  return (await busy(cdp)) - before
}

/** Returns the processor time of the main thread so far, in milliseconds. */
async function busy(cdp: CDPSession): Promise<number> {
  const { metrics } = await cdp.send('Performance.getMetrics')
  return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? 0) * 1000
}

/** Returns the measurements that the page reports when its chat is ready. */
export async function toldBy(page: Page): Promise<Told> {
  const until = performance.now() + resultTimeoutMs
  while (performance.now() < until) {
    const told = await page.evaluate(() => window.bench?.told ?? null).catch(() => null)
    if (told) return told
    await page.waitForTimeout(150)
  }
  return { inputMs: 0, shown: 0, error: 'timeout' }
}

async function type(page: Page, cdp: CDPSession): Promise<number> {
  await page.evaluate(() => window.bench.usable())
  const cpu = await used(cdp, async () => {
    await page.keyboard.type(letters)
    await page.evaluate(() => new Promise((done) => requestAnimationFrame(done)))
  })
  for (const _ of letters) await page.keyboard.press('Backspace')
  return cpu / letters.length
}

async function heap(cdp: CDPSession): Promise<number> {
  await cdp.send('HeapProfiler.enable')
  for (let time = 0; time < 2; time++) await cdp.send('HeapProfiler.collectGarbage')
  return (await cdp.send('Runtime.getHeapUsage')).usedSize / 1024 ** 2
}

/** Adds questions and answers alternately; measures each answer and the work after its first paint. */
export async function measureAnswers<T>(
  page: Page,
  measure: (add: () => Promise<void>) => Promise<T>,
): Promise<T[]> {
  const measured: T[] = []
  const add = async () => {
    await page.evaluate(() => window.bench.append())
    await page.waitForTimeout(afterMs)
  }
  for (let at = 0; at < answerCount; at++) {
    await add()
    measured.push(await measure(add))
  }
  return measured
}
