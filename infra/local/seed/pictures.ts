import { readFile } from 'node:fs/promises'
import * as z from 'zod'
import { dayMs } from '../../../core/base/clock.ts'
import { seedRow } from '../../../core/cms/reference/bootstrap.ts'
import { type Row, textOf } from '../../../core/cms/reference/item.ts'
import { keyOf } from '../../../core/cms/reference/read.ts'
import { load } from '../../../core/file/document/image.ts'
import * as Store from '../../../core/file/store.ts'
import data from './pictures.json' with { type: 'json' }

const Picture = z.strictObject({
  title: z.string(),
  file: z.string(),
  folder: z.string(),
  alternative: z.string(),
})

/** Some of them still lack a text for those who do not see them. */
const pictures = z.array(Picture).parse(data)

/** The pictures of the site. They lie on the home page, so that all who see it may use them. */
export function mediaRows(now: number): Row[] {
  return pictures.map((picture, at) =>
    seedRow(
      'media',
      at + 1,
      { pid: 1, at: now - (90 + at * 12) * dayMs, by: 'editor' },
      { ...picture, mime_type: 'image/jpeg' },
    ),
  )
}

/** Puts the files of the pictures, drawn as SVG of 640 × 480 pixels, into the bucket of the stage, those that are not there yet. */
export async function seedPictures(): Promise<void> {
  const rows = mediaRows(0)
  const there = await Promise.all(rows.map((row) => Store.head(keyOf(row))))
  const missing = rows.filter((_, at) => !there[at])
  if (missing.length === 0) return
  const sharp = await load()
  for (const row of missing) {
    const drawing = await readFile(
      new URL(`pictures/${textOf(row, 'file').replace('.jpg', '.svg')}`, import.meta.url),
    )
    const bytes = await sharp(drawing).jpeg({ quality: 82 }).toBuffer()
    await Store.put(keyOf(row), bytes, { contentType: 'image/jpeg' })
  }
}
