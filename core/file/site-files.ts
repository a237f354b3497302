import type { Actor } from '../base/actor.ts'
import * as Table from '../base/aws/table.ts'
import { formatOf, mimeTypeOf } from './format.ts'
import * as Item from './item.ts'
import * as Store from './store.ts'

/** Folder of the site's files that every backend user may see. */
const publicFolder = 'fileadmin/public/'

/** A list has at most this many files. */
const limit = 200

/** A file in a list; `uid` is 0 for a file of the site that was not uploaded through the chat. */
export type Listed = { uid: number; name: string; mimeType: string; size: number; folder: string }

/**
 * Returns the files in a folder: newest first for the actor's own folder (also the default), sorted by name for a
 * public folder. Returns undefined for any other folder, existing or not.
 */
export async function list(actor: Actor, folder: string | undefined): Promise<Listed[] | undefined> {
  const own = Item.folderOf(actor.uid)
  const asked = folder === undefined ? own : `${folder.replace(/^\/+|\/+$/g, '')}/`
  if (asked === own) return ownFiles(actor)
  if (!asked.startsWith(publicFolder) || asked.split('/').includes('..')) return undefined
  const objects = await Store.list(asked)
  return objects.slice(0, limit).map(({ key, size }) => {
    const name = key.slice(asked.length)
    return { uid: 0, name, mimeType: typeOf(name), size, folder: asked }
  })
}

async function ownFiles(actor: Actor): Promise<Listed[]> {
  const rows = await Table.below({ pk: `user#${actor.uid}`, sk: 'file#' })
  return rows
    .map(Item.decode)
    .filter(({ state }) => state === 'stored')
    .toSorted((a, b) => (a.createdAt < b.createdAt ? 1 : -1))
    .slice(0, limit)
    .map(({ fileUid, name, mimeType, size }) => ({
      uid: fileUid,
      name,
      mimeType,
      size,
      folder: Item.folderOf(actor.uid),
    }))
}

function typeOf(name: string): string {
  const format = formatOf(name)
  return format ? mimeTypeOf(format) : 'application/octet-stream'
}

/** Returns the bytes of a file of the site by its key; undefined if there is none, `tooLarge` beyond `most` bytes. */
export async function siteFile(key: string, most: number): Promise<Uint8Array | 'tooLarge' | undefined> {
  const found = await Store.head(key)
  if (found && found.size > most) return 'tooLarge'
  return found && (await Store.get(key))?.bytes
}
