import * as Store from './store.ts'

/** The bytes of a file of the site by its key; undefined if there is none, `tooLarge` beyond `most` bytes. */
export async function siteFile(key: string, most: number): Promise<Uint8Array | 'tooLarge' | undefined> {
  const found = await Store.head(key)
  if (found && found.size > most) return 'tooLarge'
  return found && (await Store.get(key))?.bytes
}
