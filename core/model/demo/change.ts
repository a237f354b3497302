import type { RecordId } from '../../conversation/schema.ts'
import type { Intent } from './intent.ts'
import { amount, type Element, pageContent, record, type Stored } from './reading.ts'
import { call, calling, type Result, type Script, type ScriptedCall } from './script.ts'
import { unknownTarget } from './show.ts'
import type { Situation } from './situation.ts'
import {
  brief,
  inWords,
  type Lang,
  named,
  pickWords,
  quote,
  reasonOf,
  trouble,
  withoutTool,
} from './speech.ts'
import { find, type Part, type Target } from './target.ts'

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

function plan(s: Situation, intent: Intent): Part<Plan> {
  switch (intent.kind) {
    case 'field':
      return planField(s, intent)
    case 'price':
      return planPrice(s, intent)
    case 'page':
      return planPage(s, intent)
    case 'element':
      return planElement(s, intent)
  }
}

function* planField(s: Situation, { target, field, value }: Extract<Intent, { kind: 'field' }>): Part<Plan> {
  if (!s.tools.includes('update_record')) return missingTool(s, 'update_record')
  const found = yield* find(s, target)
  if (!found) return { problem: unknownTarget(s) }
  const place = yield* fieldPlace(s, found, field)
  const stored = yield* readRecord(s, place.table, place.uid)
  if ('problem' in stored) return stored
  const name = fieldNamed(stored, field)
  const before = name && stored.fields.get(name)
  if (name === undefined || before === undefined) return { problem: noField(s, stored, field) }
  if (before === value) return { problem: already(s, stored, value) }
  return update(stored, { [name]: typed(value, before) })
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
  if (s.tables.content === null || found.table !== s.tables.pages || !['header', 'body'].includes(field))
    return found
  if (!s.tools.includes('get_page_content')) return found
  const { text } = yield* call('get_page_content', { page: found.uid })
  return pageContent(text)?.elements[0] ?? found
}

/** Plans to replace the amount on a page in the field that stores it, with the text around it. */
function* planPrice(s: Situation, { target, value }: Extract<Intent, { kind: 'price' }>): Part<Plan> {
  if (!s.tools.includes('update_record')) return missingTool(s, 'update_record')
  const found = yield* find(s, target)
  if (!found) return { problem: unknownTarget(s) }
  const [element, ...others] = yield* priced(s, found)
  if (!element) return { problem: noPrice(s, found) }
  const stored = yield* readRecord(s, element.table, element.uid)
  if ('problem' in stored) return stored
  const place = [...stored.fields].find(
    ([name, text]) => (!s.isOwn || ['body', 'header', 'teaser'].includes(name)) && amount.test(text),
  )
  if (!place) return { problem: noPrice(s, found) }
  const [name, text] = place
  const after = text.replace(amount, () => value)
  if (after === text) return { problem: already(s, stored, value) }
  return { ...update(stored, { [name]: after }), ...(others.length > 0 && { remark: alsoPriced(s, others) }) }
}

/** The records that may hold an amount: the elements of a page in their order, or the record itself. */
function* priced(s: Situation, found: Target): Part<{ table: string; uid: RecordId }[]> {
  if (s.tables.content === null || found.table !== s.tables.pages) return [found]
  const { text } = yield* call('get_page_content', { page: found.uid })
  const holds = ({ header, text: body }: Element) => amount.test(`${header}\n${body}`)
  return pageContent(text)?.elements.filter(holds) ?? []
}

function* planPage(s: Situation, { title, parent }: Extract<Intent, { kind: 'page' }>): Part<Plan> {
  if (!s.tools.includes('create_page_draft')) return missingTool(s, 'create_page_draft')
  const above = yield* find(s, parent)
  if (!above) return { problem: unknownTarget(s) }
  return { call: { name: 'create_page_draft', arguments: { parent: above.uid, title } } }
}

function* planElement(s: Situation, intent: Extract<Intent, { kind: 'element' }>): Part<Plan> {
  if (!s.tools.includes('create_content_draft')) return missingTool(s, 'create_content_draft')
  const page = yield* find(s, intent.page)
  if (!page) return { problem: unknownTarget(s) }
  const { type, header, body } = intent
  const needed = type === 'header' ? header : body
  if (!needed) return { problem: noText(s) }
  const args = { page: page.uid, type, ...(header && { header }), ...(body && { body }) }
  return { call: { name: 'create_content_draft', arguments: args } }
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

/** Converts the value to a boolean if the field holds one. */
function typed(value: string, before: string): string | boolean {
  if (!/^(?:true|false)$/.test(before)) return value
  return /^(?:true|yes|on|1|ja|an)$/i.test(value)
}

/**
 * The tool's own words, without HTML tags: after an approval, the values that it read back; otherwise the reason why
 * it did nothing.
 */
export function outcome(s: Situation, { text, isError }: Result): string {
  if (isError) {
    const head = s.say`Nothing was changed:`
    return `${head}\n\n${quote([reasonOf(s.lang, text)])}`
  }
  const head = s.say`The change was made:`
  const lines = text
    .replace(/<\/?[a-z][^<>]*>/gi, '')
    .split('\n')
    .filter((line) => line.trim() !== '')
  return `${head}\n\n${quote(lines.slice(0, 12).map((line) => brief(storedIn(s.lang, line), 300)))}`
}

/** The first line of a stored change, which the tool says in English. */
function storedIn(lang: Lang, line: string): string {
  if (lang === 'en') return line
  const head = { de: 'Gespeichert. $1 lautet jetzt:', fr: 'Enregistré. $1 contient désormais\u202f:' }[lang]
  return inWords(lang, line.replace(/^Stored\. Record (.*) now says:$/, head))
}

function missingTool(s: Situation, tool: string): Plan {
  return { problem: withoutTool(s.lang, s.refusals.get(tool)) }
}

function noField({ lang }: Situation, stored: Stored, field: string): string {
  const names = [...stored.fields.keys()].join(', ')
  return pickWords(lang, {
    en: `${stored.table} [${stored.uid}] has no field “${field}”. Its fields: ${names}.`,
    de: `${stored.table} [${stored.uid}] hat kein Feld „${field}“. Seine Felder: ${names}.`,
    fr: `${stored.table} [${stored.uid}] n’a pas de champ ${named('fr', field)}. Ses champs\u202f: ${names}.`,
  })
}

function already({ lang, say }: Situation, stored: Stored, value: string): string {
  return say`${stored.table} [${stored.uid}] says ${named(lang, brief(value))} already.`
}

function noPrice({ lang, say }: Situation, { title, uid }: Target): string {
  return say`I found no price on ${named(lang, title)} [${uid}], so there is none to change.`
}

function alsoPriced({ say }: Situation, others: { table: string; uid: RecordId }[]): string {
  const list = others.map(({ table, uid }) => `${table} [${uid}]`).join(', ')
  return say`Other elements of the page name an amount too, and were left as they are: ${list}.`
}

function noText({ say }: Situation): string {
  return say`Say what the element is to contain, for example: Create a hidden text element “Delivery” on this page: Within five days.`
}
