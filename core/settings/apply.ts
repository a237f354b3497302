import * as Table from '../aws/table.ts'
import { encode } from './item.ts'
import type { Settings } from './schema.ts'
import { forget } from './settings.ts'

/**
 * Makes these the settings of the stage; true when they differ from what was stored. The same settings again write
 * nothing. Other processes see them within 30 seconds.
 */
export async function apply(settings: Settings): Promise<boolean> {
  const changed = await Table.put(encode(settings), {
    condition: 'attribute_not_exists(pk) OR digest <> :digest',
    values: { ':digest': encode(settings).digest },
  })
  forget()
  return changed
}
