import type { Row } from '../../../core/cms/reference/item.ts'
import { dayMs, row } from '../../../core/cms/reference/seed-row.ts'

type Picture = [title: string, file: string, folder: string, alternative: string]

/** Some of them still lack a text for those who do not see them. */
const pictures: Picture[] = [
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
    row(
      'media',
      at + 1,
      { pid: 1, at: now - (90 + at * 12) * dayMs, by: 'editor' },
      { title, file, folder, alternative, mime_type: 'image/jpeg' },
    ),
  )
}
