import { launch, violations } from '../../../test/support/browser.ts'

/** What is wrong with a page of 20 messages, whatever its speed. */
export type Quality = { axe: string[]; csp: number; foreignHosts: string[] }

/** Looks at a page on the plain server with axe and for foreign hosts, and on the strict one for broken policies. */
export async function look(plain: string, strict: string, name: string): Promise<Quality> {
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
