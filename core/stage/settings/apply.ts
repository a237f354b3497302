import * as Table from '../../base/aws/table.ts'
import { encodeSettings } from './item.ts'
import type { Settings } from './schema.ts'
import { forget } from './settings.ts'

/**
 * Stores these settings for the stage; true if they differ from the stored ones. Equal settings write nothing. Other
 * processes see them within 30 seconds.
 */
export async function apply(settings: Settings): Promise<boolean> {
  const changed = await Table.put(encodeSettings(settings), {
    condition: 'attribute_not_exists(pk) OR digest <> :digest',
    values: { ':digest': encodeSettings(settings).digest },
  })
  forget()
  return changed
}
