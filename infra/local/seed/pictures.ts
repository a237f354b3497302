import { dayMs } from '../../../core/base/clock.ts'
import { seedRow } from '../../../core/cms/reference/bootstrap.ts'
import { type Row, textOf } from '../../../core/cms/reference/item.ts'
import { keyOf } from '../../../core/cms/reference/read.ts'
import { load } from '../../../core/file/document/image.ts'
import * as Store from '../../../core/file/store.ts'
import { drawings } from './drawing.ts'

type SeedPicture = [title: string, file: string, folder: string, alternative: string]

/** Some of them still lack a text for those who do not see them. */
const pictures: SeedPicture[] = [
  ['Aurora lamp in opal', 'aurora-lamp.jpg', 'products', 'A table lamp of opal glass on a foot of ash'],
  ['Aurora lamp, the shade', 'aurora-lamp-shade.jpg', 'products', ''],
  ['Borealis desk in oak', 'borealis-desk.jpg', 'products', 'A desk of oak with two drawers'],
  ['Workshop in the morning', 'workshop.jpg', 'about', ''],
  ['Showroom Hamburg', 'showroom-hamburg.jpg', 'contact', 'Lamps in a window by the river'],
  ['Everyone at the long table', 'team.jpg', 'about', ''],
]

/** The pictures of the site. They lie on the home page, so that all who see it may use them. */
export function mediaRows(now: number): Row[] {
  return pictures.map(([title, file, folder, alternative], at) =>
    seedRow(
      'media',
      at + 1,
      { pid: 1, at: now - (90 + at * 12) * dayMs, by: 'editor' },
      { title, file, folder, alternative, mime_type: 'image/jpeg' },
    ),
  )
}

/** Puts the files of the pictures into the bucket of the stage, those that are not there yet. */
export async function seedPictures(): Promise<void> {
  const rows = mediaRows(0)
  const there = await Promise.all(rows.map((row) => Store.head(keyOf(row))))
  const missing = rows.filter((_, at) => !there[at])
  if (missing.length === 0) return
  const sharp = await load()
  for (const row of missing) {
    const drawing = Buffer.from(drawings[textOf(row, 'file')] ?? '')
    const bytes = await sharp(drawing).jpeg({ quality: 82 }).toBuffer()
    await Store.put(keyOf(row), bytes, { contentType: 'image/jpeg' })
  }
}
