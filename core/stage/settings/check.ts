import type * as z from 'zod'
import { isTimeZone } from '../../base/time-zone.ts'
import { factsOf } from './cards.ts'
import { matches } from './pattern.ts'
import { Configuration, ModelRecord, Overlay, Provider, Settings, Task } from './schema.ts'
import { type McpServer, toolName } from './server.ts'

/** A mistake in a file with its path: `{ path: 'providers.0.adapter', message: … }`. */
export type Mistake = { path: string; message: string }

/** Returns mistakes as indented lines, for a terminal. */
export const mistakeLines = (mistakes: readonly Mistake[]): string =>
  mistakes.map(({ path, message }) => `  ${path}: ${message}`).join('\n')

/** Valid settings, or every mistake of their file. A file with any mistake is refused. */
export type Checked = { settings: Settings; mistakes?: never } | { mistakes: Mistake[]; settings?: never }

/** Checks that a parsed JSON file is a complete set of settings. Broken links between records are allowed. */
export function check(json: unknown): Checked {
  const parsed = Settings.safeParse(withCards(json))
  if (!parsed.success) return { mistakes: mistakesOf(parsed.error) }
  if (isTimeZone(parsed.data.timeZone)) return { settings: parsed.data }
  return { mistakes: [{ path: 'timeZone', message: 'a time zone of the IANA database' }] }
}

/** Fills in the facts of known models from their cards. */
function withCards(json: unknown): unknown {
  const { models } = Object(json) as { models?: unknown }
  if (!Array.isArray(models)) return json
  return { ...Object(json), models: models.map(completed) }
}

function completed(row: unknown): unknown {
  const { modelId } = Object(row) as { modelId?: unknown }
  return typeof modelId === 'string' ? { ...factsOf(modelId), ...Object(row) } : row
}

const lists = { providers: Provider, models: ModelRecord, configurations: Configuration, tasks: Task }
type Row = { uid: number } & Record<string, unknown>

/**
 * Merges an overlay into settings: merges records by their uid, and replaces every other member. The paths of mistakes
 * refer to the overlay's file.
 */
export function merge(base: Settings, overlay: unknown): Checked {
  const parsed = Overlay.safeParse(overlay)
  if (!parsed.success) return { mistakes: mistakesOf(parsed.error) }
  const raw = overlay as Record<string, unknown>
  const merged: Record<string, unknown> = { ...base, ...raw }
  const mistakes: Mistake[] = []
  for (const [list, record] of Object.entries(lists)) {
    const rows = (raw[list] ?? []) as Row[]
    const before = base[list as keyof typeof lists] as Row[]
    mistakes.push(...rows.flatMap((row, at) => incomplete(record, row, before, `${list}.${at}`)))
    merged[list] = mergeRows(before, list === 'models' ? rows.map((row) => renamed(row, before)) : rows)
  }
  return mistakes.length > 0 ? { mistakes } : check(merged)
}

/**
 * Finds tool patterns that match none of these names, because a typo would silently allow or forbid a tool. Accepts
 * valid settings, or an overlay; the paths then refer to the overlay.
 */
export function unknownTools(settings: Partial<Settings>, own: readonly string[]): Mistake[] {
  const { tools, configurations = [], mcpServers = [] } = settings
  const names = [...own, ...mcpServers.flatMap(namesOf)]
  const rules = Object.entries(tools?.groups ?? {}).flatMap(([group, { allow, deny }]) => [
    { path: `tools.groups.${group}.allow`, patterns: allow },
    { path: `tools.groups.${group}.deny`, patterns: deny },
  ])
  const lists = [
    { path: 'tools.disabled', patterns: tools?.disabled },
    ...rules,
    ...configurations.map((one, at) => ({ path: `configurations.${at}.tools`, patterns: one.tools })),
  ]
  return lists.flatMap(({ path, patterns }) =>
    (patterns ?? []).flatMap((pattern, at) =>
      names.some((name) => matches(name, pattern))
        ? []
        : [{ path: `${path}.${at}`, message: 'matches no tool' }],
    ),
  )
}

/** Returns the names of a server's tools in the chat. */
const namesOf = ({ name, tools }: McpServer) => Object.keys(tools ?? {}).map((tool) => toolName(name, tool))

/**
 * Finds servers that a deployed stage may not use: programs on the same machine, and unencrypted URLs. At each
 * connection, a further check refuses private addresses.
 */
export function localServers({ mcpServers }: Pick<Settings, 'mcpServers'>): Mistake[] {
  return mcpServers.flatMap(({ transport, url }, at) => {
    if (transport === 'stdio')
      return [{ path: `mcpServers.${at}.transport`, message: 'stdio is for the local stage alone' }]
    if (url?.startsWith('https:')) return []
    return [{ path: `mcpServers.${at}.url`, message: 'has to begin with https: on a deployed stage' }]
  })
}

/** Returns the mistakes of an overlay's record that the settings do not have yet: a new record must be complete. */
function incomplete(record: z.ZodType, row: Row, before: Row[], path: string): Mistake[] {
  if (before.some(({ uid }) => uid === row.uid)) return []
  const parsed = record.safeParse(record === ModelRecord ? completed(row) : row)
  return parsed.success ? [] : mistakesOf(parsed.error, path)
}

/** Fills in the facts of the new model if a row has changed its model id; the old model's facts no longer apply. */
function renamed(row: Row, before: Row[]): Row {
  const same = before.find(({ uid }) => uid === row.uid)
  return row.modelId === undefined || same?.modelId === row.modelId ? row : (completed(row) as Row)
}

function mergeRows(before: Row[], rows: Row[]): Row[] {
  const added = rows.filter(({ uid }) => !before.some((row) => row.uid === uid))
  return [...before.map((row) => ({ ...row, ...rows.find(({ uid }) => uid === row.uid) })), ...added]
}

/** Returns one mistake per path of the file, in terms that the author of the file knows. */
function mistakesOf(error: z.ZodError, under = ''): Mistake[] {
  return error.issues.flatMap((issue) => {
    const path = [under, ...issue.path.map(String)].filter((part) => part !== '')
    if (issue.code !== 'unrecognized_keys')
      return { path: path.join('.') || '(file)', message: issue.message }
    return issue.keys.map((key) => ({ path: [...path, key].join('.'), message: 'is not a known key' }))
  })
}
