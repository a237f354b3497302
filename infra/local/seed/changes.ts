import { dayMs } from '../../../core/base/clock.ts'
import { seedRow } from '../../../core/cms/reference/bootstrap.ts'
import { type Change, fieldsOf } from '../../../core/cms/reference/history.ts'
import type { Row } from '../../../core/cms/reference/item.ts'

type Past = [daysAgo: number, table: string, uid: number, user: number, changes: Change[]]

const names = ['', 'admin', 'editor', 'autorin']
const change = (field: string, before: Change['before'], after: Change['after']): Change => ({
  field,
  before,
  after,
})

/** Changes that people made before the chat came, the oldest first; the last value is the one of today. */
const past: Past[] = [
  [
    28,
    'pages',
    2,
    2,
    [change('description', 'All our products.', 'Everything that we make, by room and by use.')],
  ],
  [27, 'content', 1, 2, [change('header', 'The Aurora', 'Aurora lamp')]],
  [24, 'pages', 3, 2, [change('title', 'Aurora', 'Aurora lamp')]],
  [
    23,
    'pages',
    5,
    1,
    [change('description', 'About us', 'Who we are, where we work, what we refuse to do.')],
  ],
  [
    21,
    'content',
    2,
    2,
    [
      change(
        'body',
        'Price: 139 EUR\nMaterial: Mouth-blown opal glass, oiled ash\nSize in cm: 32 × 32 × 46\nIn stock',
        'Price: 149 EUR\nMaterial: Mouth-blown opal glass, oiled ash\nSize in cm: 32 × 32 × 46\nIn stock',
      ),
    ],
  ],
  [18, 'pages', 65, 2, [change('hidden', false, true)]],
  [16, 'pages', 16, 1, [change('title', 'Careers', 'Jobs')]],
  [15, 'news', 40, 3, [change('author', '', 'Astrid Winter')]],
  [12, 'news', 39, 3, [change('hidden', true, false)]],
  [11, 'pages', 28, 2, [change('title', 'Repairs', 'Warranty and repairs')]],
  [9, 'content', 6, 2, [change('header', 'Borealis', 'Borealis desk')]],
  [8, 'pages', 11, 1, [change('title', 'Minutes', 'Board minutes')]],
  [6, 'pages', 6, 2, [change('description', 'Contact us', 'Write, call or come by.')]],
  [5, 'news', 40, 3, [change('hidden', true, false)]],
  [4, 'be_users', 4, 1, [change('lang', 'de', 'en')]],
  [3, 'pages', 4, 2, [change('title', 'Borealis writing desk', 'Borealis desk')]],
  [
    2,
    'pages',
    1,
    2,
    [
      change(
        'description',
        'Lamps and furniture from the north.',
        'Northlight: lamps and furniture from the north, made to be repaired.',
      ),
    ],
  ],
]

/** The history of the site before its first day here. */
export function historyRows(now: number): Row[] {
  return past.map(([daysAgo, table, recuid, user, changes], at) => {
    const username = names[user] ?? ''
    const recorded = {
      action: 'modify' as const,
      table,
      uid: recuid,
      user,
      runId: '',
      isUndo: false,
      versionAfter: 1,
      changes,
    }
    const place = { pid: 0, at: now - daysAgo * dayMs, by: username }
    return seedRow('sys_history', at + 1, place, fieldsOf(recorded, username))
  })
}
