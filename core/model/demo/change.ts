import type { Intent } from './intent.ts'
import { amount, type Stored } from './reading.ts'
import * as Demo from './script.ts'
import type { Situation } from './situation.ts'
import { brief, inWords, paragraphs, quote, reasonOf, untagged } from './speech.ts'
import { find, type Target } from './target.ts'

/** Reads the records to change, proposes all changes in one reply, and reports the outcome of each. */

/** The call for one change; `remark` is added to the outcome if the change succeeds. */
type Plan = Demo.ScriptedCall & { remark?: string }

/** Runs the script of one or more changes. */
export function* change(s: Situation, wanted: Intent[]): Demo.Script {
  const plans: (Plan | string)[] = []
  for (const intent of wanted) plans.push(yield* Demo.unlessEnded(plan(s, intent)))
  const proposed = plans.filter((entry) => typeof entry !== 'string')
  const problems = plans.filter((entry) => typeof entry === 'string')
  const results = proposed.length > 0 ? yield* Demo.calling(...proposed) : []
  const outcomes = results.flatMap((result, at) => [
    outcome(s, result),
    result.isError ? '' : (proposed[at]?.remark ?? ''),
  ])
  return paragraphs(...outcomes, ...problems)
}

function* plan(s: Situation, intent: Intent): Demo.Part<Plan> {
  const { kind } = intent
  const drafts = { page: 'create_page_draft', element: 'create_content_draft' } as const
  const name = kind === 'page' || kind === 'element' ? drafts[kind] : 'update_record'
  if (!s.tools.includes(name)) Demo.end(s.without(name))
  if (kind === 'field') return yield* planField(s, yield* find(s, intent.target), intent)
  if (kind === 'price') return yield* planPrice(s, yield* find(s, intent.target), intent.value)
  if (kind === 'page') {
    const { uid } = yield* find(s, intent.parent)
    return { name, arguments: { parent: uid, title: intent.title } }
  }
  const { type, header, body } = intent
  const { uid } = yield* find(s, intent.page)
  if (!(type === 'header' ? header : body))
    Demo.end(
      s.say`Say what the element is to contain, for example: Create a hidden text element “Delivery” on this page: Within five days.`,
    )
  return { name, arguments: { page: uid, type, ...(header && { header }), ...(body && { body }) } }
}

type FieldIntent = Extract<Intent, { kind: 'field' }>

function* planField(s: Situation, found: Target, { field, value }: FieldIntent): Demo.Part<Plan> {
  // If the user names the header or body of a page, the script changes the first element of the page.
  const isOfElement =
    isPage(s, found) && ['header', 'body'].includes(field) && s.tools.includes('get_page_content')
  const place = (isOfElement ? (yield* Demo.readPage(s, found.uid)).elements[0] : undefined) ?? found
  const stored = yield* Demo.readRecord(s, place.table, place.uid)
  const { table, uid, fields } = stored
  const name = fieldNamed(stored, field) ?? ''
  const before = fields.get(name)
  if (before === undefined)
    Demo.end(
      s.say`${table} [${uid}] has no field ${s.named(field)}. Its fields: ${[...fields.keys()].map((key) => stored.labels.get(key) ?? key).join(', ')}.`,
    )
  if (before === value) already(s, stored, value)
  const isYesOrNo = /^(?:true|false)$/.test(before)
  return update(stored, { [name]: isYesOrNo ? /^(?:true|yes|on|1|ja|an|oui)$/i.test(value) : value })
}

/**
 * Returns the field by name or label. If no field is called `title`, that word means the field with the record's title.
 */
function fieldNamed({ fields, labels, title }: Stored, field: string): string | undefined {
  const names = [...fields.keys()]
  return (
    names.find((name) => name === field) ??
    names.find((name) => labels.get(name)?.toLowerCase() === field.replaceAll('_', ' ')) ??
    names.find((name) => field === 'title' && title !== '' && fields.get(name) === title)
  )
}

/** True for a page in a CMS whose pages have elements. */
const isPage = ({ tables }: Situation, { table }: Target) => tables.content !== null && table === tables.pages

/** Plans to replace the amount on a page; the text around the amount stays. */
function* planPrice(s: Situation, found: Target, value: string): Demo.Part<Plan> {
  const none = s.say`I found no price on ${s.named(found.title)} [${found.uid}], so there is none to change.`
  // The records that may hold an amount: the elements of a page in their order, or the record itself.
  const places = isPage(s, found)
    ? (yield* Demo.readPage(s, found.uid)).elements.filter((it) => amount.test(`${it.header}\n${it.text}`))
    : [found]
  const [element = Demo.end(none), ...others] = places
  const stored = yield* Demo.readRecord(s, element.table, element.uid)
  const holds = ([name, text]: [string, string]) =>
    (!s.isOwn || ['body', 'header', 'teaser'].includes(name)) && amount.test(text)
  const [name, text] = [...stored.fields].find(holds) ?? Demo.end(none)
  const after = text.replace(amount, () => value)
  if (after === text) already(s, stored, value)
  const list = others.map(({ table, uid }) => `${table} [${uid}]`).join(', ')
  const remark = s.say`Other elements of the page name an amount too, and were left as they are: ${list}.`
  return { ...update(stored, { [name]: after }), remark: list && remark }
}

const update = ({ table, uid }: Stored, fields: Record<string, unknown>): Plan => ({
  name: 'update_record',
  arguments: { table, uid, fields },
})

/**
 * Returns the answer after a decision: the values as the tool read them back, or the reason why nothing changed. In
 * English, the tool's own sentence comes first.
 */
export function outcome({ lang, say }: Situation, { text, isError }: Demo.Result): string {
  if (isError) return `${say`Nothing was changed:`}\n\n${quote([reasonOf(lang, text)])}`
  const lines = untagged(text, '')
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => line.replace(/^- [\w.-]+ \(([^()]+)\): /, '- $1: '))
  // The first line is a sentence in English; values are as the record has them.
  const shown = lang === 'en' ? lines : lines.slice(1)
  if (shown.length === 0) return say`The change was made.`
  return `${say`The change was made:`}\n\n${quote(shown.slice(0, 12).map((line) => brief(inWords(lang, line), 300)))}`
}

function already({ named, say }: Situation, { table, uid }: Stored, value: string): never {
  Demo.end(say`${table} [${uid}] says ${named(brief(value))} already.`)
}
