import { createHash } from 'node:crypto'
import { type Field, item, type Reading, text } from '../aws/item.ts'
import type { Row } from '../aws/table.ts'
import { Settings } from './schema.ts'

/** The stored form of the settings: one item, read whole by its key. `digest` shows whether an apply changes it. */
export const key = { pk: 'settings', sk: 'settings' } as const

/** How the settings are stored. */
export const codec = item('settings', 1, { settings: stored('settings'), digest: text('digest', '') })

export type Item = typeof key & Row & { settings: Settings; digest: string }

/** The item of the settings; the same settings give the same digest, whatever the order of their file's keys. */
export function encode(settings: Settings): Item {
  const parsed = Settings.parse(settings)
  const digest = createHash('sha256').update(JSON.stringify(parsed)).digest('hex')
  return { ...codec.encode({ settings: parsed, digest }), ...key, settings: parsed, digest }
}

/**
 * The settings of the stored item, without keys that a later release added and without records that cannot be read:
 * what names such a record fails alone. Throws for any other value that cannot be read, since a default might open what
 * the stage has closed.
 */
export function decode(row: Row): Settings {
  const { settings } = codec.decode(row)
  if (!settings) throw new Error('The stored settings cannot be read: apply the settings file of this stage.')
  return settings
}

function stored(attribute: string): Field<Settings | undefined> {
  return {
    attribute,
    empty: undefined,
    isRequired: true,
    isOmitted: false,
    read,
    write: (settings) => settings,
  }
}

const recordLists = new Set<PropertyKey | undefined>([
  'providers',
  'models',
  'configurations',
  'tasks',
  'mcpServers',
])

/** Files are read strictly, what is stored is not: it may be of a later release. */
function read(given: unknown): Reading<Settings | undefined> {
  const settings = structuredClone(given)
  let isWhole = true
  for (;;) {
    // Once a process: code that zod would generate first for each object does not pay for itself.
    const { success, data, error } = Settings.safeParse(settings, { jitless: true })
    if (success) return { value: data, isWhole }
    const unknown = error.issues.filter((issue) => issue.code === 'unrecognized_keys')
    for (const { path, keys } of unknown) for (const name of keys) remove(settings, [...path, name])
    if (unknown.length > 0) continue
    const broken = error.issues.find(({ path }) => recordLists.has(path[0]) && path.length > 1)
    if (!broken) return { value: undefined, isWhole: false }
    remove(settings, broken.path.slice(0, 2))
    isWhole = false
  }
}

/** Removes what a path of keys and positions names. */
function remove(from: unknown, path: PropertyKey[]): void {
  const parent = path.slice(0, -1).reduce<unknown>((at, name) => Reflect.get(Object(at), name), from)
  const last = path.at(-1) ?? ''
  if (Array.isArray(parent)) parent.splice(Number(last), 1)
  else Reflect.deleteProperty(Object(parent), last)
}
