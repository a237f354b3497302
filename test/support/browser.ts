import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import {
  type Browser,
  type BrowserContextOptions,
  chromium,
  type Locator,
  type Page,
  type Request,
} from 'playwright'
import { findChromium } from './chromium.ts'

/** A Chromium without a window. Throws with the name of the package where there is none. */
export function launch(executablePath = findChromium()): Promise<Browser> {
  if (!executablePath)
    throw new Error(
      'No Chromium was found: install the package "chromium-headless-shell" or "chromium", or set CHROMIUM_PATH.',
    )
  return chromium.launch({
    executablePath,
    args: [
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  })
}

/** A page of the stage as a person uses it, and what went wrong in it that no person may see. */
export type Visit = {
  page: Page
  /** Errors of scripts, violations of the policy, and what the console complains about beside refused requests. */
  complaints: string[]
  /** Opens an address of the stage. */
  open(path: string): Promise<void>
  /** Logs in with the form that is shown. */
  logIn(username: string, password?: string): Promise<void>
  close(): Promise<void>
}

/** Opens a browser window of its own, with no cookies and nothing stored. */
export async function visit(
  browser: Browser,
  origin: string,
  options: BrowserContextOptions = {},
): Promise<Visit> {
  const context = await browser.newContext({
    baseURL: origin,
    viewport: { width: 1440, height: 900 },
    locale: 'en-GB',
    reducedMotion: 'reduce',
    ...options,
  })
  // It ends what hangs; a busy machine may take long for a page.
  context.setDefaultTimeout(60_000)
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('console', (message) => {
    // Every refused request is an error to the console; tests look at what the page makes of it.
    if (message.type() === 'error' && !message.text().startsWith('Failed to load resource')) {
      complaints.push(message.text())
    }
  })
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) => {
      console.error(`Policy: ${event.violatedDirective} ${event.blockedURI} ${event.sourceFile ?? ''}`)
    })
  })
  return {
    page,
    complaints,
    open: async (path) => {
      await page.goto(path)
    },
    logIn: async (username, password = 'demo') => {
      const { username: name, password: secret, submit } = form(page)
      await name.fill(username)
      await secret.fill(password)
      await submit.click()
    },
    close: () => context.close(),
  }
}

/** How many requests of the page from now on have no answer yet. */
export function underWay(page: Page): () => number {
  const open = new Set<Request>()
  page.on('request', (request) => open.add(request))
  page.on('requestfinished', (request) => open.delete(request))
  page.on('requestfailed', (request) => open.delete(request))
  return () => open.size
}

/** The login form, in English or German. */
export function form(page: Page | Locator): Record<'username' | 'password' | 'submit', Locator> {
  return {
    username: page.getByRole('textbox', { name: /^(Username|Benutzername)$/ }),
    password: page.getByLabel(/^(Password|Passwort)$/),
    submit: page.getByRole('button', { name: /^(Log in|Anmelden)$/ }),
  }
}

/** The bar above the modules, which is there while a user is logged in. */
export const topbar = (page: Page): Locator => page.getByRole('banner')

const axe = createRequire(import.meta.url).resolve('axe-core/axe.min.js')

/** What axe finds wrong by WCAG 2.2 A and AA and best practice: rule and elements. Sees into open shadow roots. */
export async function violations(page: Page): Promise<string[]> {
  // Evaluated by the debugger, which no content security policy of the page binds.
  await page.evaluate(await script())
  const results = await page.evaluate(() => (globalThis as unknown as { axe: Axe }).axe.run(document))
  return results.violations.flatMap((violation) =>
    violation.nodes.map((node) => `${violation.id}: ${node.target.join(' ')}`),
  )
}

type Axe = { run(context: Document): Promise<AxeResults> }

let source: Promise<string> | undefined

function script(): Promise<string> {
  source ??= readFile(axe, 'utf8')
  return source
}
