import type * as Table from '../../base/aws/table.ts'
import type { Clock } from '../../base/clock.ts'
import * as UserNumber from '../../cms/user-number/user-number.ts'
import { decode } from '../../conversation/item.ts'
import * as Message from '../../conversation/transcript/transcript.ts'
import { folderOf } from '../../file/item.ts'
import { below } from '../../file/removal.ts'
import * as Store from '../../file/store.ts'
import { load } from '../../stage/settings/settings.ts'
import { secretAttributes as ofTokens } from '../../user/access-token/schema.ts'
import { secretAttributes } from '../../user/connection/grant.ts'
import { markdown } from '../export.ts'
import * as Work from './work-record.ts'

/** Stores the exported files; paths are relative, with slashes. */
export type Sink = {
  /** Returns true if an earlier export stored a file of this size under the path. */
  has(path: string, size: number): Promise<boolean>
  /** Stores the whole file or nothing. */
  write(path: string, content: Uint8Array | string): Promise<void>
}

/** Attributes that grant access instead of describing the user; the export leaves them out. */
const secrets = ['token_hash', ...ofTokens, ...secretAttributes]

/**
 * Writes all data that the service stores about a user: each conversation as Markdown and as JSON, run records, files,
 * usage and sessions. Also writes the user's text id in the CMS, if any, the audit entries, and the record of the
 * export. After an interruption, call it again with the same sink: it skips the files that the sink has. The CMS
 * exports its own data of the user. `tell` gets the number of rows read from the table so far. `admit` gets the number
 * of partitions with data before anything is stored, and may throw. `export.json` is written first and last, so that a
 * folder always says whose export it holds.
 */
export async function exportUser(
  uid: number,
  lang: string,
  sink: Sink,
  clock: Clock,
  tell?: Work.Tell,
  admit?: Work.Admit,
): Promise<Work.Record> {
  const { retainAuditDays } = await load(clock.now())
  const found = await Work.partitionsOf(uid, tell)
  await admit?.(found.length)
  const record = await Work.beginRecord(uid, 'export', clock.now())
  await sink.write('export.json', json(record))
  const counts = { ...Work.none }
  for (const partition of found) {
    const rows = await Work.rowsOf(partition)
    await sink.write(`${pathOf(partition)}.json`, json(rows.map(shown)))
    if (partition.kind === 'conversation') await writeTranscript(rows, lang, sink)
    countRows(counts, partition, rows.length)
  }
  const folder = folderOf(uid)
  for await (const { key, size } of below(folder)) {
    const path = filePath(key.slice(folder.length))
    counts.files++
    if (await sink.has(path, size)) continue
    const object = await Store.get(key)
    if (object) await sink.write(path, object.bytes)
  }
  const id = await UserNumber.textOf(uid)
  if (id !== undefined) {
    await sink.write('cms-user.json', json({ uid, id }))
    counts.items++
  }
  const acts = await Work.auditOf(uid, tell)
  await sink.write('audit.jsonl', acts.map((entry) => `${JSON.stringify(entry)}\n`).join(''))
  const ended = await Work.store(record, counts, true, retainAuditDays, clock.now())
  await sink.write('export.json', json(ended))
  return ended
}

/** Returns the path of a file in the export; always inside `files/`, whatever the key in the store is. */
export function filePath(key: string): string {
  const parts = key.split('/').filter((part) => part !== '..')
  return `files/${parts.join('/')}`
}

function countRows(counts: Work.Counts, { kind }: Work.Partition, items: number): void {
  counts.items += items
  if (kind === 'conversation') counts.conversations++
  if (kind === 'run') counts.runs++
  if (kind === 'session') counts.sessions++
}

const folders = {
  user: 'user',
  conversation: 'conversations',
  run: 'runs',
  session: 'sessions',
  exchanged: 'exchanged',
}

/** Returns the path of a partition's rows in the export. The key is cleaned although the service made it. */
function pathOf({ kind, pk }: Work.Partition): string {
  return `${folders[kind]}/${pk.slice(kind.length + 1).replace(/[^A-Za-z0-9-]/g, '_')}`
}

async function writeTranscript(rows: (Table.Row & Table.Key)[], lang: string, sink: Sink): Promise<void> {
  const conversation = decode(rows.find(({ sk }) => sk === 'conversation'))
  if (!conversation) return
  const { messages } = await Message.part(conversation, 0, Number.MAX_SAFE_INTEGER, false)
  await sink.write(`conversations/${conversation.id}.md`, markdown(conversation, messages, lang))
}

function shown(row: Table.Row): Table.Row {
  return Object.fromEntries(Object.entries(row).filter(([name]) => !secrets.includes(name)))
}

const json = (value: unknown) =>
  `${JSON.stringify(value, (_, inner: unknown) => (inner instanceof Set ? [...inner] : inner), 2)}\n`
