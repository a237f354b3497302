import { own } from '../../base/json.ts'
import { outcome } from './change.ts'
import { call, calling, type Script } from './script.ts'
import type { Situation } from './situation.ts'
import { trouble } from './speech.ts'

/** Prepared alternative texts for the pictures of the seeded site, by file name and in the site's language. */
const prepared: Record<string, string> = {
  'aurora-lamp-shade.jpg': 'The round shade of opal glass, lit, from close by',
  'workshop.jpg': 'A workbench below a row of tools, with a lamp on it and light from the window',
  'team.jpg': 'Five people side by side behind a long table, below two lamps',
}

type Picture = { table: string; uid: number; file: string }

/** Finds pictures without an alternative text, looks at those with a prepared text, and proposes all texts together. */
export function* alternativeTexts(s: Situation): Script {
  const found = yield* call('find_media', { missing_alternative: true, limit: 100 })
  if (found.isError) return trouble(s.lang, found.text)
  const known = picturesIn(found.text).filter(({ file }) => Object.hasOwn(prepared, file))
  const [first] = known
  if (!first) return none(s)
  const seen = yield* calling(
    ...known.map(({ table, uid }) => ({ name: 'view_image', arguments: { table, uid } })),
  )
  const shown = known.filter((_, at) => seen[at]?.isError === false)
  const [refused] = seen
  if (shown.length === 0) return refused ? trouble(s.lang, refused.text) : none(s)
  const changes = shown.map(({ uid, file }) => ({ uid, fields: { alternative: own(prepared, file) } }))
  const result = yield* call('update_records', { table: first.table, changes })
  return `${outcome(s, result)}\n\n${seesNone(s)}`
}

/** The lines of `find_media`: table, uid, title and file. */
function picturesIn(text: string): Picture[] {
  return [...text.matchAll(/^- (\w+) \[(\d+)\] “.*”, (\S+), no alternative text$/gm)].map(
    ([, table = '', uid, file = '']) => ({ table, uid: Number(uid), file }),
  )
}

const seesNone = ({ remark }: Situation) =>
  remark`The texts come with it: it does not see the pictures. A model with vision writes them by what it sees.`

function none(s: Situation): string {
  const words = s.say`There is no picture without an alternative text that I have a text for: prepared are those of the pictures of this site as they are in the beginning.`
  return `${words}\n\n${seesNone(s)}`
}
