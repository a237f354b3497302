import { own } from '../../base/json.ts'
import type { RecordId } from '../../conversation/schema.ts'
import { outcome, readRecord } from './change.ts'
import { idIn } from './reading.ts'
import { call, type Script } from './script.ts'
import type { Situation } from './situation.ts'
import { named, trouble } from './speech.ts'

/** Proposes prepared texts of the seeded site: translations of pages, and descriptions of those that have none. */

/** Prepared German translations of pages of the seeded site; `from` are the original values. */
const prepared: { uid: number; from: Record<string, string>; to: Record<string, string> }[] = [
  {
    uid: 2,
    from: { title: 'Products', description: 'Everything that we make, by room and by use.' },
    to: { title: 'Produkte', description: 'Alles, was wir machen, nach Raum und nach Gebrauch.' },
  },
  {
    uid: 6,
    from: { title: 'Contact', description: 'Write, call or come by.' },
    to: { title: 'Kontakt', description: 'Schreiben Sie, rufen Sie an oder kommen Sie vorbei.' },
  },
  {
    uid: 8,
    from: { title: 'Service', description: 'Before and after you buy.' },
    to: { title: 'Service', description: 'Vor dem Kauf und danach.' },
  },
]

/** Proposes the prepared translation of a page if the page still has the original values. */
export function* translation(s: Situation, uid: RecordId): Script {
  const table = s.tables.pages ?? ''
  const stored = yield* readRecord(s, table, uid)
  if ('problem' in stored) return stored.problem
  const known = prepared.find(
    ({ uid, from }) =>
      uid === stored.uid && Object.entries(from).every(([field, text]) => stored.fields.get(field) === text),
  )
  if (!known) return none(s, stored.title)
  return outcome(s, yield* call('translate_record', { table, uid, locale: 'de', fields: known.to }))
}

/** Proposes the first prepared translation that its page has not got yet. */
export function* firstTranslation(s: Situation): Script {
  const checked = yield* call('check_site', { checks: ['translation'] })
  const lacking = checked.isError ? [] : idsIn(checked.text)
  return yield* translation(
    s,
    prepared.find(({ uid }) => lacking.includes(uid))?.uid ?? prepared[1]?.uid ?? 0,
  )
}

/** Prepared descriptions, in the first language of the site. */
const descriptions: Record<string, string> = {
  65: 'Lamps and furniture at lower prices, as long as they last.',
  63: 'Which data this site keeps, for how long, and how you have them deleted.',
}

/** Proposes the prepared description of the first page that has none and that the user may change. */
export function* description(s: Situation): Script {
  const checked = yield* call('check_site', { checks: ['description'] })
  if (checked.isError) return trouble(s.lang, checked.text)
  const table = s.tables.pages ?? ''
  for (const uid of idsIn(checked.text)) {
    const text = own(descriptions, String(uid))
    if (!text || !s.isOwn) continue
    const stored = yield* readRecord(s, table, uid)
    if ('problem' in stored || !stored.mayEdit) continue
    return outcome(s, yield* call('update_record', { table, uid, fields: { description: text } }))
  }
  return s.say`There is no page without a description that you may change and for which I have a prepared one. A model would write it.`
}

const idsIn = (text: string): RecordId[] =>
  [...text.matchAll(/^- “.*?” \[([^\]\s]+)\]/gm)].map(([, uid = '']) => idIn(uid))

function none({ lang, remark, say }: Situation, title: string): string {
  const pages = prepared.map(({ from }) => named(lang, from.title ?? '')).join(', ')
  const words = say`I have no translation of ${named(lang, title)}. Prepared are those of ${pages}, as they are in the beginning, into German.`
  const note = remark`A model translates any text into each language of the site.`
  return `${words}\n\n${note}`
}
