import * as Table from '../aws/table.ts'
import { config } from '../stage/config.ts'
import * as Item from './item.ts'
import * as Quota from './quota.ts'
import * as Row from './row.ts'
import { isBusy } from './state.ts'

/**
 * Takes away places that no busy conversation holds, whatever left them behind; true when there was one. Each is
 * given back only while its conversation is as it was read.
 */
export async function tidy(uid: number): Promise<boolean> {
  const { table } = config()
  const { active } = Quota.decode(await Table.get(Quota.key(uid)))
  const rows = await Table.batch(active.map((id) => ({ table, key: Item.key(id) })))
  const outcomes = await Promise.all(
    active.map(async (id, at) => {
      const it = Item.decode(rows[at])
      if (it && isBusy(it.status)) return false
      const { done } = await Table.transact([it ? Row.unchanged(it) : absent(id), Quota.release(uid, id)])
      return done
    }),
  )
  return outcomes.includes(true)
}

function absent(id: string): Table.Write {
  const place = { TableName: config().table, Key: Item.key(id) }
  return { ConditionCheck: { ...place, ConditionExpression: 'attribute_not_exists(pk)' } }
}
