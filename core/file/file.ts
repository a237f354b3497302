import { randomInt } from 'node:crypto'
import type { Actor } from '../base/actor.ts'
import * as Table from '../base/aws/table.ts'
import { dayMs } from '../base/clock.ts'
import { VisibleError } from '../base/error.ts'
import { sha256 } from '../base/hash.ts'
import { own } from '../base/json.ts'
import { FileUse } from './document/schema.ts'
import * as Formats from './format.ts'
import * as Item from './item.ts'
import { fileRefusal } from './reason.ts'
import { takePlace } from './references.ts'
import { type FileInfo, maxFileBytes } from './schema.ts'
import * as Store from './store.ts'

/**
 * The files that users attach. A file belongs to its uploader: the keys of the item and of the object contain the
 * owner, so no request can name another user's file. Turns never read unchecked content. A direct upload stays under
 * `pending/` until its check; only the checked version is copied to the final key.
 */

type Claim = { name: string; mimeType: string }

/** Rules of uploads: the allowed formats, and the limit of a user's files that no message names (null: no limit). */
export type Rules = { formats: readonly Formats.Format[]; maxUnsent: number | null }

/**
 * Stores a file from its bytes. Throws `file.tooLarge`, `file.unsupported`, `file.mismatch`, `file.unreadable` or
 * `file.tooMany`, with the reason in the actor's language.
 */
export async function accept(
  actor: Actor,
  { name, mimeType, bytes }: Claim & { bytes: Uint8Array },
  { formats, maxUnsent }: Rules,
  now: number,
): Promise<FileInfo> {
  const format = claimed(actor, { name, mimeType, size: bytes.length }, formats)
  await check(actor, bytes, format)
  const file = await announce(actor, { name, format, size: bytes.length }, maxUnsent, now)
  await Store.put(file.objectKey, bytes, headersOf(file))
  await markStored(file, bytes, now)
  return infoOf({ ...file, size: bytes.length })
}

/** Prepares a direct upload, valid for five minutes. Throws like `accept` for a wrong size, name or type. */
export async function ask(
  actor: Actor,
  { name, mimeType, size }: Claim & { size: number },
  { formats, maxUnsent }: Rules,
  now: number,
): Promise<{ fileUid: number; upload: { url: string; fields: Record<string, string> } }> {
  const format = claimed(actor, { name, mimeType, size }, formats)
  const file = await announce(actor, { name, format, size }, maxUnsent, now)
  const key = Item.pendingKey(actor.uid, file.fileUid)
  return { fileUid: file.fileUid, upload: await Store.uploadForm(key, file.mimeType, maxFileBytes) }
}

/**
 * Checks a direct upload that has arrived and copies it to the final key; a repeated call returns the same result.
 * Throws `file.notFound` if no upload has arrived, else like `accept`.
 */
export async function complete(
  actor: Actor,
  { fileUid }: { fileUid: number },
  now: number,
): Promise<FileInfo> {
  const file = await load(actor.uid, fileUid)
  const format = file?.state === 'pending' && Formats.formatOf(file.name)
  // If the upload is gone, a parallel call may have completed it.
  const completed = async () => infoOf(await find(actor, fileUid))
  if (!file || !format) return completed()
  const key = Item.pendingKey(actor.uid, fileUid)
  const uploaded = await Store.head(key)
  if (!uploaded) return completed()
  if (uploaded.size > maxFileBytes) throw fileRefusal('tooLarge', actor.lang)
  const arrived = await Store.get(key)
  if (!arrived) return completed()
  await check(actor, arrived.bytes, format)
  // Two uploads may use the same form; only the version that is pinned here can be copied.
  if (!(await pin(file, arrived.etag))) return completed()
  if (!(await Store.copy(key, arrived.etag, file.objectKey, headersOf(file)))) return completed()
  await markStored(file, arrived.bytes, now)
  await Store.remove(key)
  return infoOf({ ...file, size: arrived.bytes.length })
}

/** Returns a stored file of the actor. Throws `file.notFound`, also for a file of another user. */
export async function find(actor: Actor, fileUid: number): Promise<Item.File> {
  const file = await load(actor.uid, fileUid)
  if (file?.state !== 'stored') throw new VisibleError('file.notFound')
  return file
}

/**
 * Returns a stored file of the actor, its last use, and a download URL that is valid for five minutes. With `isInline`,
 * the URL shows a PDF in the browser instead. Throws `file.notFound`.
 */
export async function info(
  actor: Actor,
  fileUid: number,
  isInline = false,
): Promise<FileInfo & { url: string; use?: FileUse }> {
  const file = await find(actor, fileUid)
  const isHarmless = Formats.isImage(file.mimeType) || file.mimeType === 'application/pdf'
  const header = Formats.attachmentHeader(file.name)
  const isShown = isInline && file.mimeType === 'application/pdf'
  const url = await Store.downloadUrl(file.objectKey, {
    contentType: isHarmless ? file.mimeType : 'application/octet-stream',
    disposition: isShown ? header.replace(/^attachment/, 'inline') : header,
  })
  return { ...infoOf(file), url, ...(file.use && { use: file.use }) }
}

/** Stores the use that a turn made of a file, unless it is stored already or the file is gone. */
export async function noteUse({ owner, fileUid, use: known }: Item.File, use: FileUse): Promise<void> {
  const last_use = JSON.stringify(FileUse.parse(use))
  if (last_use === JSON.stringify(known)) return
  const condition = { condition: 'file_state = :stored', values: { ':stored': 'stored' } }
  await Table.assign(Item.key(owner, fileUid), { set: { last_use }, ...condition })
}

/** Returns the public data of a file. */
function infoOf({ fileUid, name, mimeType, size }: Item.File): FileInfo {
  return { fileUid, name, mimeType, size }
}

/**
 * Returns the item of a file in any state; undefined if there is none, or if it has only the attributes that
 * `releaseWrites` stores for a missing file.
 */
export async function load(owner: number, fileUid: number): Promise<Item.File | undefined> {
  const row = await Table.get(Item.key(owner, fileUid))
  const isFile = row && (row.file_state !== undefined || row.object_key !== undefined)
  return isFile ? Item.decode(row) : undefined
}

/** Checks everything that is known without the content: size, extension, declared type. */
function claimed(
  actor: Actor,
  claim: Claim & { size: number },
  formats: readonly Formats.Format[],
): Formats.Format {
  if (claim.size > maxFileBytes) throw fileRefusal('tooLarge', actor.lang)
  if (claim.size === 0) throw fileRefusal('empty', actor.lang)
  const name = Formats.cleanName(claim.name)
  const format = Formats.formatOf(name)
  const better = own(Formats.saveAs, Formats.extensionOf(name))
  if (better) throw fileRefusal('oldFormat', actor.lang, [better.toUpperCase()])
  if (!format || !formats.includes(format)) throw fileRefusal('unsupported', actor.lang, formats)
  if (!Formats.declares(claim.mimeType, format)) throw fileRefusal('type', actor.lang)
  return format
}

async function check(actor: Actor, bytes: Uint8Array, format: Formats.Format): Promise<void> {
  // Imports the module only here, because it brings a detector of encodings and a reader of archives.
  const { inspect } = await import('./sniff.ts')
  const reason = await inspect(bytes, format)
  if (reason) throw fileRefusal(reason, actor.lang)
}

/** Stores the item before the object: cleanup would never find an object without an item. */
async function announce(
  actor: Actor,
  { name, format, size }: { name: string; format: Formats.Format; size: number },
  maxUnsent: number | null,
  now: number,
): Promise<Item.File> {
  const fileUid = randomInt(1, 2 ** 48 - 1)
  const file: Item.File = {
    owner: actor.uid,
    fileUid,
    name: Formats.cleanName(name),
    mimeType: Formats.mimeTypeOf(format),
    size,
    state: 'pending',
    objectKey: Item.objectKey(actor.uid, fileUid, Formats.cleanName(name)),
    sha256: undefined,
    checkedEtag: undefined,
    conversations: [],
    createdAt: new Date(now).toISOString(),
    dueAt: new Date(now + dayMs).toISOString(),
  }
  const put = Table.putWrite(Item.encode(file), { condition: 'attribute_not_exists(pk)' })
  // Uses a transaction, because DynamoDB recognises a transaction that is repeated after a lost answer.
  const outcome = await Table.transact([put, takePlace(actor.uid, fileUid, maxUnsent)])
  if (outcome.done) return file
  if (outcome.failed.includes(1)) throw new VisibleError('file.tooMany', { params: { max: maxUnsent ?? 0 } })
  return announce(actor, { name, format, size }, maxUnsent, now)
}

function pin(file: Item.File, etag: string): Promise<boolean> {
  return Table.assign(Item.key(file.owner, file.fileUid), {
    set: { checked_etag: etag },
    condition: 'file_state = :pending AND (attribute_not_exists(checked_etag) OR checked_etag = :etag)',
    values: { ':etag': etag, ':pending': 'pending' },
  })
}

/** Marks the file as stored. A file that is meanwhile stored or being removed keeps its state. */
async function markStored(file: Item.File, bytes: Uint8Array, now: number): Promise<void> {
  await Table.assign(Item.key(file.owner, file.fileUid), {
    set: {
      file_state: 'stored',
      size_bytes: bytes.length,
      sha256: sha256(bytes),
      state_sk: new Date(now + dayMs).toISOString(),
    },
    condition: 'file_state = :pending',
    values: { ':pending': 'pending' },
  })
}

function headersOf(file: Item.File): { contentType: string; disposition: string } {
  return { contentType: file.mimeType, disposition: Formats.attachmentHeader(file.name) }
}
