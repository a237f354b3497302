import type { Page } from 'playwright'
import { buildPages } from '../../../infra/local/pages.ts'
import { missing } from '../../../packages/wordpress/site/site.ts'
import { launch, visit } from '../../support/browser.ts'
import { findDesktopChromium } from '../../support/chromium.ts'
import { startStage } from '../../support/stage.ts'
import { logIn } from '../../support/wp-admin.ts'
import { figure, type Row } from '../result-table.ts'
import { median, repeated } from '../sample.ts'
import { section } from '../section.ts'

const times = 9
const warmUp = 2

/**
 * Measures the panel in wp-admin of the local WordPress: from the navigation until the panel knows its user and accepts
 * a message.
 */
section(async () => {
  if (missing.length > 0) throw new Error(`This machine lacks ${missing.join(', ')}.`)
  await buildPages()
  const stage = await startStage({ args: ['--cms', 'wordpress'], env: { PORT: '0' } })
  const browser = await launch(findDesktopChromium())
  try {
    const origin = /CMS +(http:\/\/localhost:\d+)\/wp-admin\//.exec(stage.output())?.[1] ?? ''
    const { page } = await visit(browser, origin)
    await logIn(page, 'editor')
    await page.addInitScript(watch)
    return rows(await repeated(times, warmUp, () => seenBy(page)))
  } finally {
    await browser.close()
    await stage.remove()
  }
})

/** A page load: milliseconds from the navigation, and the chat's requests until its panel was usable. */
type Seen = { loadedMs: number; usableMs: number; requests: { path: string; from: number; to: number }[] }

declare global {
  /** The time at which the panel became usable, in milliseconds from the navigation. */
  var usableAt: number | undefined
}

/**
 * Runs in each page: opens the panel as soon as it exists, and measures the time until the user can write and send a
 * message.
 */
function watch(): void {
  const field = (root: ParentNode): HTMLTextAreaElement | undefined => {
    for (const element of root.querySelectorAll('*')) {
      if (element instanceof HTMLTextAreaElement) return element
      const inside = element.shadowRoot && field(element.shadowRoot)
      if (inside) return inside
    }
    return undefined
  }
  const look = () => {
    const panel = document.querySelector('ai-chat-panel')
    if (panel && !panel.open) panel.open = true
    const found = panel?.shadowRoot && field(panel.shadowRoot)
    const isWritable = found && !found.disabled && !found.readOnly && found.getClientRects().length > 0
    // The stage has answered a request, so the panel knows its user.
    const isKnown = performance.getEntriesByType('resource').some(({ name }) => name.includes('/ai-chat/'))
    if (isWritable && isKnown) globalThis.usableAt = performance.now()
    else requestAnimationFrame(look)
  }
  requestAnimationFrame(look)
}

async function seenBy(page: Page): Promise<Seen> {
  await page.goto('/wp-admin/index.php')
  await page.waitForFunction(() => globalThis.usableAt !== undefined)
  return page.evaluate(() => {
    const usableMs = globalThis.usableAt ?? Number.NaN
    const [navigation] = performance.getEntriesByType('navigation') as PerformanceNavigationTiming[]
    const all = performance.getEntriesByType('resource') as PerformanceResourceTiming[]
    const requests = all
      .filter(({ name }) => /\/backend\/|\/ai-chat\/|aic(?:%2F|\/)v1/.test(name))
      .filter(({ responseEnd }) => responseEnd <= usableMs)
      .map(({ name, startTime, responseEnd }) => ({
        path: new URL(name).pathname,
        from: startTime,
        to: responseEnd,
      }))
    return { loadedMs: navigation?.domContentLoadedEventStart ?? Number.NaN, usableMs, requests }
  })
}

/** Returns the length of the longest chain of requests in which each one begins after the previous one has ended. */
function roundTrips({ requests }: Seen): number {
  let trips = 0
  let until = Number.NEGATIVE_INFINITY
  for (const { from, to } of requests.toSorted((a, b) => a.to - b.to)) {
    if (from < until) continue
    trips += 1
    until = to
  }
  return trips
}

function rows(seen: Seen[]): Row[] {
  const middle = (measure: (visit: Seen) => number) => median(seen.map(measure))
  const last = seen.at(-1)?.requests.map(({ path }) => path.replace(/-[\w-]{8}\.js$/, '.js')) ?? []
  const parsed = middle(({ loadedMs }) => loadedMs)
  const usable = middle(({ usableMs }) => usableMs)
  const beyond = middle(({ usableMs, loadedMs }) => usableMs - loadedMs)
  const chain = 'wp-admin, requests one after the other until the panel is usable'
  return [
    figure('wp-admin, its page parsed', parsed, 'ms from the navigation'),
    figure('wp-admin, the panel usable', usable, 'ms from the navigation'),
    figure('wp-admin, the panel beyond the page itself', beyond, 'ms', { most: 400 }),
    figure(chain, middle(roundTrips), 'round trips', { note: last.join(', ') }),
  ]
}
