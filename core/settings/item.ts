import { createHash } from 'node:crypto'
import type { Row } from '../aws/table.ts'
import { Settings } from './schema.ts'

/** How the settings lie in the table: one item, read whole by its key. `digest` tells whether an apply changes it. */
export const key = { pk: 'settings', sk: 'settings' } as const

export type Item = typeof key & { settings: Settings; digest: string }

/** The item of the settings; the same settings give the same digest, whatever the order of their file's keys. */
export function encode(settings: Settings): Item {
  const parsed = Settings.parse(settings)
  return {
    ...key,
    settings: parsed,
    digest: createHash('sha256').update(JSON.stringify(parsed)).digest('hex'),
  }
}

/** The settings of the stored item. Throws when it is not what this version understands. */
export function decode(row: Row): Settings {
  return Settings.parse(row.settings)
}
