import * as Table from '../../base/aws/table.ts'
import type { Clock } from '../../base/clock.ts'
import * as UserNumber from '../../cms/user-number/user-number.ts'
import { lastSign, leaseMs } from '../../conversation/claim.ts'
import { idOf, key, still } from '../../conversation/item.ts'
import * as Row from '../../conversation/row.ts'
import { extractKey, decode as fileOf, folderOf, pagesKey } from '../../file/item.ts'
import { eraseBelow, erase as eraseObject } from '../../file/removal.ts'
import { load } from '../../stage/settings/settings.ts'
import * as Work from './work-record.ts'

/** The maximum wait for running turns to stop, and the time between two checks, in milliseconds. */
const erasePatienceMs = 60_000
const lookMs = 1_000

/** The record of an erasure, and the number of turns that did not stop in time; repeat the erasure until it is 0. */
type Erased = { record: Work.Record; running: number }

/**
 * Erases all data that the service stores about a user. Sessions go first, so that nothing new begins. Running turns,
 * files with every version, run records and conversations follow. Each step can be repeated, so an interrupted erasure
 * is simply called again. If the stage gave the user a number for a text id of the CMS, that text goes last. The number
 * is never used again. The audit and the record of the erasure stay; both name the user by number. Backups stay until
 * they expire. The CMS erases its own data of the user. `tell` gets the number of rows read from the table so far.
 * `admit` gets the number of partitions with data before anything is stored or erased, and may throw.
 */
export async function eraseUser(
  uid: number,
  clock: Clock,
  tell?: Work.Tell,
  admit?: Work.Admit,
): Promise<Erased> {
  const { retainAuditDays } = await load(clock.now())
  const found = await Work.partitionsOf(uid, tell)
  await admit?.(found.length)
  const record = await Work.beginRecord(uid, 'erase', clock.now())
  const counts = { ...record.counts }
  for (const partition of found.filter(({ kind }) => kind === 'session' || kind === 'exchanged'))
    await removeAll(partition, counts)
  const ids = found.filter(({ kind }) => kind === 'conversation').map(({ pk }) => idOf(pk))
  const running = await stopped(ids, counts, clock)
  await eraseFiles(uid, found, counts)
  for (const partition of found.filter(({ kind }) => kind !== 'session' && kind !== 'exchanged')) {
    if (!running.has(idOf(partition.pk))) await removeAll(partition, counts)
  }
  const isWhole = running.size === 0 && (await removeLate(uid, counts, tell))
  if (isWhole && (await UserNumber.forget(uid))) counts.items++
  return {
    record: await Work.store(record, counts, isWhole, retainAuditDays, clock.now()),
    running: running.size,
  }
}

/**
 * Removes rows that a turn stored while it was being stopped; true if nothing is left. Each search reads the whole
 * table, so a second search follows only if the first search found rows.
 */
async function removeLate(uid: number, counts: Work.Counts, tell?: Work.Tell): Promise<boolean> {
  const late = await Work.partitionsOf(uid, tell)
  for (const partition of late) await removeAll(partition, counts)
  return late.length === 0 || (await Work.partitionsOf(uid, tell)).length === 0
}

/** Removes the rows of conversations; returns the ids that a consumer still holds after a minute. */
async function stopped(ids: string[], counts: Work.Counts, clock: Clock): Promise<Set<string>> {
  const until = clock.now() + erasePatienceMs
  let running = ids
  for (;;) {
    running = await stillRunning(running, counts, clock.now())
    if (running.length === 0 || clock.now() >= until) return new Set(running)
    await clock.sleep(lookMs)
  }
}

async function stillRunning(ids: string[], counts: Work.Counts, now: number): Promise<string[]> {
  const running: string[] = []
  for (const id of ids) {
    const conversation = await Row.read(id)
    if (!conversation) continue
    // A consumer stops at its next step; until then it would store more rows.
    const isHeld = conversation.status === 'locked' && now - Date.parse(lastSign(conversation)) < leaseMs
    if (isHeld && !conversation.cancelRequested)
      await Row.store(conversation, { cancelRequested: true, nextHeld: true })
    const isGone =
      !isHeld && (await Table.remove(key(id), still(conversation, 'version', conversation.version)))
    if (!isGone) running.push(id)
    else {
      counts.conversations++
      counts.items++
    }
  }
  return running
}

async function eraseFiles(uid: number, found: Work.Partition[], counts: Work.Counts): Promise<void> {
  for (const partition of found.filter(({ kind }) => kind === 'user')) {
    const files = (await Work.rowsOf(partition)).filter(({ sk }) => sk.startsWith('file#')).map(fileOf)
    for (const { sha256 } of files) {
      for (const key of sha256 ? [extractKey(sha256), pagesKey(sha256)] : []) await eraseObject(key)
    }
  }
  counts.files += await eraseBelow(folderOf(uid))
  for (const folder of ['pending', 'exports']) await eraseBelow(`${folder}/${uid}/`)
}

async function removeAll(partition: Work.Partition, counts: Work.Counts): Promise<void> {
  const rows = await Work.rowsOf(partition)
  await Table.removeAll(rows)
  counts.items += rows.length
  if (rows.length === 0) return
  if (partition.kind === 'run') counts.runs++
  if (partition.kind === 'session') counts.sessions++
}
