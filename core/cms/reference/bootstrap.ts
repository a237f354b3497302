import * as Table from '../../base/aws/table.ts'
import { blank, counterKey, encode, type Row, siteKey, type Value } from './item.ts'
import { hashPassword } from './login.ts'
import { tableOf } from './registry.ts'

/** The first administrator of a site. */
type Founder = { username: string; name: string; password: string; lang: string }

/**
 * Creates a site in an empty table: one page and one administrator with the uid 1. Returns false and changes nothing if
 * the table already has a site. `now` is milliseconds since the epoch.
 */
export async function found(
  store: string,
  site: string,
  { password, ...founder }: Founder,
  now: number,
): Promise<boolean> {
  const place = { pid: 0, at: now, by: founder.username }
  const administrator = seedRow('be_users', 1, place, { ...founder, admin: true })
  const home = seedRow('pages', 1, place, { title: 'Home', slug: '/' })
  const items: (Table.Key & Table.Row)[] = [
    { ...siteKey, name: site, languages: [{ id: 0, title: 'English', locale: 'en' }] },
    { ...counterKey, be_users: 1, pages: 1 },
    encode(home),
    encode(administrator, { password: await hashPassword(password), effective_groups: [] }),
  ]
  const condition = { condition: 'attribute_not_exists(pk)' }
  const { done } = await Table.transact(items.map((item) => Table.putWrite(item, condition, store)))
  return done
}

/** Returns a record of the initial site; missing fields get the initial values of the table. */
export function seedRow(
  table: string,
  uid: number,
  place: { pid: number; at: number; changedAt?: number; by?: string },
  fields: Record<string, Value>,
): Row {
  const initial = Object.fromEntries(tableOf(table).fields.map((field) => [field.name, field.initial]))
  return {
    ...blank(table, place.pid, { ...initial, ...fields }),
    uid,
    version: 1,
    createdAt: place.at,
    changedAt: place.changedAt ?? place.at,
    changedBy: place.by ?? 'admin',
  }
}
