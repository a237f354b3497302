import * as Table from '../../base/aws/table.ts'
import { counterKey, encode, siteKey } from './item.ts'
import { hash } from './password.ts'
import { row } from './seed-row.ts'

/** The first administrator of a site. */
export type Founder = { username: string; name: string; password: string; lang: string }

/**
 * Begins a site in an empty table: one page, and one administrator, who has the uid 1 and makes everything else. False
 * when there is a site already; then nothing is changed. `now` is milliseconds since the epoch.
 */
export async function found(
  store: string,
  site: string,
  { password, ...founder }: Founder,
  now: number,
): Promise<boolean> {
  const place = { pid: 0, at: now, by: founder.username }
  const administrator = row('be_users', 1, place, { ...founder, admin: true })
  const home = row('pages', 1, place, { title: 'Home', slug: '/' })
  const items: (Table.Key & Table.Row)[] = [
    { ...siteKey, name: site, languages: [{ id: 0, title: 'English', locale: 'en' }] },
    { ...counterKey, be_users: 1, pages: 1 },
    encode(home),
    encode(administrator, { password: await hash(password), effective_groups: [] }),
  ]
  const { done } = await Table.transact(
    items.map((Item) => ({
      Put: { TableName: store, Item, ConditionExpression: 'attribute_not_exists(pk)' },
    })),
  )
  return done
}
