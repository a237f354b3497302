import type { Page } from 'playwright'
import type { Site } from '../../packages/wordpress/site/site.ts'

/** A page of wp-admin as a browser without scripts gets it. */
export type AdminPage = { status: number; text: string }

/** wp-admin for one user who is logged in. */
export type Admin = {
  get(path: string): Promise<AdminPage>
  post(path: string, fields: Record<string, string>): Promise<AdminPage>
}

/** Logs a user of the site in. */
export async function enterAdmin({ origin }: Pick<Site, 'origin'>, user: string): Promise<Admin> {
  const jar = new Map<string, string>()
  const send = async (path: string, init: RequestInit = {}): Promise<AdminPage> => {
    const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
    const answer = await fetch(`${origin}${path}`, { ...init, headers: { cookie }, redirect: 'manual' })
    for (const line of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = line.match(/^([^=]+)=([^;]*)/) ?? []
      jar.set(name, value)
    }
    return { status: answer.status, text: await answer.text() }
  }
  const post = (path: string, fields: Record<string, string>) =>
    send(path, { method: 'POST', body: new URLSearchParams(fields) })
  await send('/wp-login.php')
  await post('/wp-login.php', { log: user, pwd: 'demo', testcookie: '1' })
  return { get: (path) => send(path), post }
}

/** Logs a user of the site in by a browser's page, which then shows wp-admin. */
export async function logIn(page: Page, user: string): Promise<void> {
  await page.goto('/wp-login.php')
  const name = page.getByLabel('Username or Email Address')
  // WordPress focuses and selects this field 200 ms after the page: a password that is typed then would land in it.
  await name.and(page.locator(':focus')).waitFor()
  await name.fill(user)
  await page.getByLabel('Password', { exact: true }).fill('demo')
  await Promise.all([page.waitForURL('**/wp-admin/**'), page.getByRole('button', { name: 'Log In' }).click()])
}

/** The fields of the form that has this field, as a browser sends them untouched. */
export function formWith(field: string, { text }: AdminPage): Record<string, string> {
  const forms = text.match(/<form[\s\S]*?<\/form>/g) ?? []
  const form = forms.find((it) => it.includes(`name="${field}"`) || it.includes(`name='${field}'`)) ?? ''
  const inputs = form.match(/<input[^>]*>/g) ?? []
  const areas = [...form.matchAll(/<textarea([^>]*)>([\s\S]*?)<\/textarea>/g)]
  return Object.fromEntries([
    ...inputs
      .filter((it) => attribute(it, 'name') !== '')
      .filter((it) => !/type=["'](?:submit|checkbox|radio|button|file)/.test(it))
      .map((it) => [attribute(it, 'name'), attribute(it, 'value')]),
    ...areas.map(([, tag = '', value = '']) => [attribute(tag, 'name'), decoded(value)]),
  ])
}

const attribute = (tag: string, name: string) =>
  decoded(
    tag
      .match(new RegExp(`\\s${name}=(?:"([^"]*)"|'([^']*)')`))
      ?.slice(1)
      .find((it) => it !== undefined) ?? '',
  )

const entities: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"', '#039': "'" }
const decoded = (text: string) =>
  text.replace(/&(amp|lt|gt|quot|#039);/g, (whole, name: string) => entities[name] ?? whole)
