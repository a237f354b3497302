import { own } from '../../base/json.ts'
import { amount } from './reading.ts'
import words from './words.json' with { type: 'json' }

/** A change that a user asks for, in their own words; later steps find the page or record. */
export type Intent =
  | { kind: 'field'; target: string; field: string; value: string }
  | { kind: 'price'; target: string; value: string }
  | { kind: 'page'; title: string; parent: string }
  | { kind: 'element'; type: string; page: string; header: string; body: string }

/** Returns the changes that a message asks for, in its order; empty if it asks for none. */
export function intents(message: string): Intent[] {
  const text = message.trim().replace(/\s+/g, ' ').replace(polite, '')
  return clauses(text).flatMap((clause) => intentOf(clause) ?? [])
}

const polite =
  /^(?:(?:please|bitte|now|jetzt|(?:can|could|would) you|(?:kannst|könntest) du|i want you to),? )+/i
const verbs =
  'rename|change|set|update|put|write|create|add|make|draft|benenne|nenne|ändere|setze|korrigiere|schreibe?|erstelle|erzeuge|lege|füge'
const between = new RegExp(
  `(?:,? (?:and|und)(?: then| dann)? |; |\\. )(?=(?:please |bitte )?(?:${verbs}|page \\d+|seite \\d+)\\b)`,
  'i',
)

/**
 * Splits a message into clauses: a clause without a verb gets the verb of the clause before: “Rename page 3 to A and
 * page 4 to B”.
 */
function clauses(text: string): string[] {
  const list: string[] = []
  for (const part of text.split(between)) {
    const own = part.replace(polite, '')
    const [before = ''] = list.at(-1)?.match(/^.*?(?=\b(?:page|seite) \d)/i) ?? []
    list.push(/^(?:page|seite) \d/i.test(own) ? `${before}${own}` : own)
  }
  return list
}

type Groups = Record<string, string>
type Kind = keyof typeof words.intents

/** The patterns limit the length of names, so that the time of a match grows only linearly with the text. */
const patterns = Object.entries(words.intents).flatMap(([kind, list]) =>
  list.map((pattern) => ({ kind: kind as Kind, pattern: new RegExp(pattern, 'iu') })),
)

/** Makes the intent of a clause from the named groups of its pattern. */
const makers: Record<Kind, (groups: Groups) => Intent | undefined> = {
  rename: (groups) => field({ ...groups, field: 'title' }),
  page: ({ title = '', parent = '' }) => ({ kind: 'page', title: withoutQuotes(title), parent }),
  element,
  change: field,
  put,
}

/** Returns the intent by the first pattern that matches; only the text of an element keeps its last full stop. */
function intentOf(clause: string): Intent | undefined {
  const bare = clause.replace(/[.!?]+$/, '')
  for (const { kind, pattern } of patterns) {
    const groups = (kind === 'element' ? clause : bare).match(pattern)?.groups
    if (groups) return makers[kind](groups)
  }
  return undefined
}

function field({ field = '', target = '', value = '' }: Groups): Intent {
  const name = field.toLowerCase()
  const text = withoutQuotes(value)
  if (/^(?:price|preis|prix)$/.test(name)) return { kind: 'price', target, value: text }
  return { kind: 'field', target, field: own(words.fields, name) ?? name.replaceAll(' ', '_'), value: text }
}

function put({ value = '', target = '' }: Groups): Intent | undefined {
  const text = withoutQuotes(value)
  if (amount.test(text)) return { kind: 'price', target, value: text }
  if (!isQuoted.test(value)) return undefined
  return { kind: 'element', type: 'text', page: target, header: '', body: text }
}

/** “… “Delivery” on page 3: Within five days.”: the quoted text is the header, the text after the colon is the body. */
function element({ type = '', rest = '' }: Groups): Intent {
  const [, body = ''] =
    rest.match(/: ?(.+)$/) ??
    rest.match(/ (?:with (?:the )?(?:text|body)|mit (?:dem )?text|saying) (.+)$/i) ??
    []
  const before = rest.slice(0, rest.length - body.length)
  const [, header = ''] = before.match(/["“„'«]\s?([^"“”„'«»]+?)\s?["”“'»]/) ?? []
  const [, page = ''] =
    before.match(/ (?:on|to|in|auf|zu|sur|dans) (?:der )?(.+?)(?:\s?: ?| (?:with|mit|saying|avec).*)?$/i) ??
    []
  const kind = own(words.types, type.toLowerCase()) ?? 'text'
  return { kind: 'element', type: kind, page, header, body: withoutQuotes(body) }
}

const isQuoted = /^["“„'](.*)["”“']$/

const withoutQuotes = (value: string) => value.trim().replace(isQuoted, '$1').trim()
