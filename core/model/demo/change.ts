import type { RecordId } from '../../conversation/schema.ts'
import type { Intent } from './intent.ts'
import { amount, type PageContent, pageContent, record, type Stored } from './reading.ts'
import { call, calling, type Result, type Script, type ScriptedCall } from './script.ts'
import type { Situation } from './situation.ts'
import { brief, inWords, named, quote, reasonOf, trouble, untagged } from './speech.ts'
import { find, type Part, type Target, unknownTarget } from './target.ts'

/** Reads the records to change, proposes all changes in one reply, and reports the outcome of each. */

/** The plan of one change; `remark` is added to the outcome of a call that succeeded. */
type Plan = { call: ScriptedCall; remark?: string } | { problem: string }

/** The script of one or more changes. */
export function* change(s: Situation, wanted: Intent[]): Script {
  const plans: Plan[] = []
  for (const intent of wanted) plans.push(yield* plan(s, intent))
  const problems = plans.flatMap((entry) => ('problem' in entry ? [entry.problem] : []))
  const proposed = plans.flatMap((entry) => ('call' in entry ? [entry] : []))
  if (proposed.length === 0) return problems.join('\n\n')
  const results = yield* calling(...proposed.map((entry) => entry.call))
  const outcomes = results.flatMap((result, index) => {
    const remark = result.isError ? undefined : proposed[index]?.remark
    return [outcome(s, result), ...(remark ? [remark] : [])]
  })
  return [...outcomes, ...problems].join('\n\n')
}

const toolOf = { page: 'create_page_draft', element: 'create_content_draft' } as const
const targetOf = (intent: Intent) =>
  ({ page: 'parent', element: 'page', field: 'target', price: 'target' })[intent.kind] as keyof Intent

function* plan(s: Situation, intent: Intent): Part<Plan> {
  const tool = intent.kind in toolOf ? toolOf[intent.kind as keyof typeof toolOf] : 'update_record'
  if (!s.tools.includes(tool)) return { problem: s.without(tool) }
  const found = yield* find(s, String(intent[targetOf(intent)]))
  if (!found) return { problem: unknownTarget(s) }
  if (intent.kind === 'field') return yield* planField(s, found, intent)
  if (intent.kind === 'price') return yield* planPrice(s, found, intent.value)
  if (intent.kind === 'page')
    return { call: { name: tool, arguments: { parent: found.uid, title: intent.title } } }
  const { type, header, body } = intent
  if (!(type === 'header' ? header : body))
    return {
      problem: s.say`Say what the element is to contain, for example: Create a hidden text element “Delivery” on this page: Within five days.`,
    }
  const args = { page: found.uid, type, ...(header && { header }), ...(body && { body }) }
  return { call: { name: tool, arguments: args } }
}

type OfKind<K extends Intent['kind']> = Extract<Intent, { kind: K }>

function* planField(s: Situation, found: Target, { field, value }: OfKind<'field'>): Part<Plan> {
  const place = yield* fieldPlace(s, found, field)
  const stored = yield* readRecord(s, place.table, place.uid)
  if ('problem' in stored) return stored
  const { table, uid, fields } = stored
  const name = fieldNamed(stored, field)
  const before = name && fields.get(name)
  if (name === undefined || before === undefined)
    return {
      problem: s.say`${table} [${uid}] has no field ${s.named(field)}. Its fields: ${[...fields.keys()].join(', ')}.`,
    }
  if (before === value) return already(s, stored, value)
  const isYesOrNo = /^(?:true|false)$/.test(before)
  return update(stored, { [name]: isYesOrNo ? /^(?:true|yes|on|1|ja|an|oui)$/i.test(value) : value })
}

/** The field with a name or label. If none is called `title`, `title` means the field with the record's name. */
function fieldNamed({ fields, labels, title }: Stored, field: string): string | undefined {
  const names = [...fields.keys()]
  return (
    names.find((name) => name === field) ??
    names.find((name) => labels.get(name)?.toLowerCase() === field.replaceAll('_', ' ')) ??
    names.find((name) => field === 'title' && title !== '' && fields.get(name) === title)
  )
}

/** The place of a field: header and body of a page belong to its first element. */
function* fieldPlace(s: Situation, found: Target, field: string): Part<{ table: string; uid: RecordId }> {
  if (!isPage(s, found) || !['header', 'body'].includes(field)) return found
  if (!s.tools.includes('get_page_content')) return found
  const content = yield* readPage(s, found.uid)
  return (typeof content === 'string' ? undefined : content.elements[0]) ?? found
}

/** A page with elements of its own. */
const isPage = ({ tables }: Situation, { table }: Target) => tables.content !== null && table === tables.pages

/** Plans to replace the amount on a page in the field that stores it, with the text around it. */
function* planPrice(s: Situation, found: Target, value: string): Part<Plan> {
  const none = {
    problem: s.say`I found no price on ${s.named(found.title)} [${found.uid}], so there is none to change.`,
  }
  const [element, ...others] = yield* priced(s, found)
  if (!element) return none
  const stored = yield* readRecord(s, element.table, element.uid)
  if ('problem' in stored) return stored
  const [name, text = ''] =
    [...stored.fields].find(
      ([name, text]) => (!s.isOwn || ['body', 'header', 'teaser'].includes(name)) && amount.test(text),
    ) ?? []
  if (name === undefined) return none
  const after = text.replace(amount, () => value)
  if (after === text) return already(s, stored, value)
  const list = others.map(({ table, uid }) => `${table} [${uid}]`).join(', ')
  const remark = s.say`Other elements of the page name an amount too, and were left as they are: ${list}.`
  return { ...update(stored, { [name]: after }), ...(list && { remark }) }
}

/** The records that may hold an amount: the elements of a page in their order, or the record itself. */
function* priced(s: Situation, found: Target): Part<{ table: string; uid: RecordId }[]> {
  if (!isPage(s, found)) return [found]
  const content = yield* readPage(s, found.uid)
  const elements = typeof content === 'string' ? [] : content.elements
  return elements.filter(({ header, text }) => amount.test(`${header}\n${text}`))
}

/** Reads a page, or the reason why it cannot be read. */
export function* readPage(s: Situation, page: RecordId): Part<PageContent | string> {
  const result = yield* call('get_page_content', { page })
  return (result.isError ? undefined : pageContent(result.text)) ?? trouble(s.lang, result.text)
}

/** Reads a record as stored, or the reason why it cannot be read. */
export function* readRecord(s: Situation, table: string, uid: RecordId): Part<Stored | { problem: string }> {
  const result = yield* call('get_record', { table, uid })
  const stored = result.isError ? undefined : record(result.text)
  return stored ?? { problem: trouble(s.lang, result.text) }
}

/** The call that proposes new values for a record. */
export function update({ table, uid }: Stored, fields: Record<string, unknown>): { call: ScriptedCall } {
  return { call: { name: 'update_record', arguments: { table, uid, fields } } }
}

/**
 * After an approval, the values that the tool read back, in English in its own words; otherwise the reason why it did
 * nothing.
 */
export function outcome({ lang, say }: Situation, { text, isError }: Result): string {
  if (isError) return `${say`Nothing was changed:`}\n\n${quote([reasonOf(lang, text)])}`
  const lines = untagged(text, '')
    .split('\n')
    .filter((line) => line.trim() !== '')
  // The first line is a sentence in English; values are as the record has them.
  const shown = lang === 'en' ? lines : lines.slice(1)
  if (shown.length === 0) return say`The change was made.`
  return `${say`The change was made:`}\n\n${quote(shown.slice(0, 12).map((line) => brief(inWords(lang, line), 300)))}`
}

const already = ({ lang, say }: Situation, { table, uid }: Stored, value: string) => ({
  problem: say`${table} [${uid}] says ${named(lang, brief(value))} already.`,
})
