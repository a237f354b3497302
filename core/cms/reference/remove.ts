import type { Row } from './item.ts'
import { type Denial, denyDelete } from './permission.ts'
import type { Plan } from './plan.ts'
import type { Refusal } from './refusal.ts'
import { tables } from './registry.ts'
import * as Rows from './rows.ts'
import type { Site } from './site.ts'

/** The plan to delete a record as the actor of the site, or why there is none. */
export async function planRemove(site: Site, row: Row): Promise<Plan | Refusal> {
  const obstacle = await obstacleToRemove(site, row)
  if (obstacle === 'inhabited')
    return {
      refused: 'other',
      sentence: 'There are records on this page or below it. Only an empty page can go.',
    }
  if (obstacle) return { refused: obstacle, table: row.table, uid: row.uid }
  return { row: { ...row, deleted: true }, before: row, changes: [], action: 'delete' }
}

/** Why the actor may not delete a record; `inhabited`: it is a page that is not empty. */
async function obstacleToRemove(site: Site, row: Row): Promise<Denial | 'inhabited' | undefined> {
  const denial = denyDelete(site.rights, site.pages, row)
  if (denial || row.table !== 'pages') return denial
  const all = tables.filter((table) => !table.adminOnly).map(({ name }) => Rows.all(site.store, name))
  return (await Promise.all(all)).flat().some(({ pid }) => pid === row.uid) ? 'inhabited' : undefined
}
