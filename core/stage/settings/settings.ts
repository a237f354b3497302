import type { Actor } from '../../base/actor.ts'
import { type Field, type ItemReading, item, text } from '../../base/aws/item.ts'
import * as Table from '../../base/aws/table.ts'
import { sha256 } from '../../base/hash.ts'
import { rank } from './data-class.ts'
import { has, isAmong } from './group.ts'
import { byUid, type Configuration, type ModelRecord, type Provider, Settings, type Task } from './schema.ts'

/**
 * Loads the stored settings of the stage, and selects the AI configuration for an actor. Settings are cached for 30
 * seconds per process; rights are never cached.
 */

const lifetimeMs = 30_000

let cached: { settings: Settings; until: number } | undefined

/** Returns the settings of the stage, at most 30 seconds old. Throws if no settings were ever applied. */
export const load = async (now: number): Promise<Settings> => (await loadWith(now, [])).settings

/** Returns the settings, and items of the chat's table from the same request. */
export async function loadWith(
  now: number,
  keys: Table.Key[],
): Promise<{ settings: Settings; rows: (Table.Row | undefined)[] }> {
  const known = cached && now < cached.until ? cached.settings : undefined
  const read = await Table.rowsOf([...keys, ...(known ? [] : [key])])
  const rows = read.slice(0, keys.length)
  if (known) return { settings: known, rows }
  const row = read[keys.length]
  if (!row) throw new Error('No settings are stored: apply infra/stages/<stage>.json to this stage first.')
  const settings = decode(row)
  cached = { settings, until: now + lifetimeMs }
  return { settings, rows }
}

/** Clears the cache, for the process that has just applied other settings. */
export function forget(): void {
  cached = undefined
}

/** The records of the settings that a turn uses; each record names the next by its uid. */
export type Resolved = {
  task: Task
  configuration: Configuration
  model: ModelRecord
  provider: Provider
  /** The fallback model, which answers if the model is not available. */
  fallback?: { model: ModelRecord; provider: Provider }
}

/** The linked records, or `missing`: a technical description of the broken link, for administrators and logs only. */
type Resolution = { resolved: Resolved; missing?: never } | { missing: string; resolved?: never }

/**
 * Selects task, configuration, model and provider for a turn of the actor. The task is that of the first pair in
 * `groupTaskMapping` with one of the actor's effective groups, or else `llmTaskUid`. The links of the task lead to
 * configuration, model and provider. A broken link never falls back to another task: the turn fails with an error.
 */
export function resolve(settings: Settings, actor: Pick<Actor, 'groups' | 'isAdmin'>): Resolution {
  const pair = settings.groupTaskMapping.find(([group]) => isAmong(actor.groups, group))
  const taskUid = pair?.[1] ?? settings.llmTaskUid
  const task = byUid(settings.tasks, taskUid)
  const by = pair ? `groupTaskMapping of group ${pair[0]}` : 'llmTaskUid'
  if (!task) return { missing: `Task ${taskUid}, named by ${by}, does not exist.` }
  if (!task.active) return { missing: `Task ${label(task)}, named by ${by}, is not active.` }

  const configuration = byUid(settings.configurations, task.configuration)
  if (!configuration)
    return { missing: `Configuration ${task.configuration} of task ${label(task)} does not exist.` }
  if (!configuration.active)
    return { missing: `Configuration ${label(configuration)} of task ${label(task)} is not active.` }
  if (!has(configuration.allowedGroups, actor))
    return { missing: `Configuration ${label(configuration)} is not open to the groups of this user.` }

  const model = byUid(settings.models, configuration.model)
  if (!model)
    return {
      missing: `Model ${configuration.model} of configuration ${label(configuration)} does not exist.`,
    }
  const provider = byUid(settings.providers, model.provider)
  if (!provider) return { missing: `Provider ${model.provider} of model ${model.uid} does not exist.` }
  if (!provider.active) return { missing: `Provider ${label(provider)} of model ${model.uid} is not active.` }
  const resolved = { task, configuration, model, provider }
  return model.fallback === null ? { resolved } : withFallback(settings, resolved, model.fallback)
}

/** Adds the fallback model with this uid, if it is usable and its provider may get the data of the turn. */
function withFallback(settings: Settings, resolved: Resolved, uid: number): Resolution {
  const { model, provider } = resolved
  const second = byUid(settings.models, uid)
  const other = second && byUid(settings.providers, second.provider)
  if (!second || !other?.active)
    return { missing: `Model ${uid}, the fallback of model ${model.uid}, cannot be used.` }
  if (!isTrustedLike(other, provider)) {
    return {
      missing: `Provider ${label(other)} of the fallback of model ${model.uid} has a stricter trust zone.`,
    }
  }
  return { resolved: { ...resolved, fallback: { model: second, provider: other } } }
}

/**
 * Resolves the records of every possible turn: for an administrator without a group, and for one in each group of
 * `groupTaskMapping`.
 */
function resolutions(settings: Settings): Resolution[] {
  const groups = settings.groupTaskMapping.map(([group]) => [group])
  return [[], ...groups].map((groups) => resolve(settings, { groups, isAdmin: true }))
}

/** Returns the providers of all turns that these settings allow, each once. */
export function providersOf(settings: Settings): Provider[] {
  return [...new Set(resolutions(settings).flatMap(({ resolved }) => resolved?.provider ?? []))]
}

/** Returns the models of all turns that these settings allow, fallback models included, each once; without the demo. */
export function modelsOf(settings: Settings): ModelRecord[] {
  const chosen = resolutions(settings).flatMap(({ resolved }) =>
    resolved ? [resolved, resolved.fallback ?? resolved] : [],
  )
  const real = chosen.filter(({ provider }) => provider.adapter !== 'demo')
  return [...new Set(real.map(({ model }) => model))]
}

/**
 * Returns the broken links of every pair in `groupTaskMapping` and of `llmTaskUid`, in the words of `resolve`, each
 * once.
 */
export function brokenLinks(settings: Settings): string[] {
  return [...new Set(resolutions(settings).flatMap(({ missing }) => missing ?? []))]
}

/** True if the fallback provider may get all data of a turn: its trust zone is at least that of the first provider. */
export function isTrustedLike(second: Provider, first: Provider): boolean {
  return rank(second.trustZone) >= rank(first.trustZone)
}

const label = (record: { uid: number; name: string }): string => `${record.uid} (${record.name})`

/**
 * Stores the given settings for the stage. Returns true if they differ from the stored settings; equal settings are not
 * written. Other processes see new settings within 30 seconds.
 */
export async function apply(settings: Settings): Promise<boolean> {
  const parsed = Settings.parse(settings)
  // Parsed settings have their keys in one order. The order of keys in the file does not change the digest.
  const digest = sha256(JSON.stringify(parsed))
  const changed = await Table.put(
    { ...key, ...codec.encode({ settings: parsed, digest }) },
    { condition: 'attribute_not_exists(pk) OR digest <> :digest', values: { ':digest': digest } },
  )
  forget()
  return changed
}

/** Key of the settings: one item, read whole. Its `digest` shows if an apply changes it. */
export const key = { pk: 'settings', sk: 'settings' } as const

/** Encodes and decodes the item of the settings. */
export const codec = item('settings', 1, { settings: settingsField('settings'), digest: text('digest', '') })

/**
 * Reads the settings of the stored item. Drops keys that a later release added, and records that cannot be read: then
 * only links to such a record fail. Throws for any other value that cannot be read, since a default might allow what
 * the stage forbids.
 */
export function decode(row: Table.Row): Settings {
  const { settings } = codec.decode(row)
  if (!settings) throw new Error('The stored settings cannot be read: apply the settings file of this stage.')
  return settings
}

function settingsField(attribute: string): Field<Settings | undefined> {
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

/** Reads stored settings leniently, unlike files: a later release may have stored them. */
function read(given: unknown): ItemReading<Settings | undefined> {
  const settings = structuredClone(given)
  let isWhole = true
  for (;;) {
    // Each process parses once, so code generated by zod for each object would cost more than it saves.
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

/** Removes the value at a path of keys and positions. */
function remove(from: unknown, path: PropertyKey[]): void {
  const parent = path.slice(0, -1).reduce<unknown>((at, name) => Reflect.get(Object(at), name), from)
  const last = path.at(-1) ?? ''
  if (Array.isArray(parent)) parent.splice(Number(last), 1)
  else Reflect.deleteProperty(Object(parent), last)
}
