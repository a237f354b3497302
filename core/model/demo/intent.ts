import { own } from '../../base/json.ts'
import { amount } from './reading.ts'

/** A change that a user asks for, in their own words; later steps find the page or record. */
export type Intent =
  | { kind: 'field'; target: string; field: string; value: string }
  | { kind: 'price'; target: string; value: string }
  | { kind: 'page'; title: string; parent: string }
  | { kind: 'element'; type: 'text' | 'header' | 'list' | 'html'; page: string; header: string; body: string }

/** The changes that a message asks for, in its order; empty if it asks for none. */
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

/** “Rename page 3 to A and page 4 to B”: a part without a verb begins like the one before. */
function clauses(text: string): string[] {
  const list: string[] = []
  for (const part of text.split(between)) {
    const own = part.replace(polite, '')
    const [before = ''] = list.at(-1)?.match(/^.*?(?=\b(?:page|seite) \d)/i) ?? []
    list.push(/^(?:page|seite) \d/i.test(own) ? `${before}${own}` : own)
  }
  return list
}

function intentOf(clause: string): Intent | undefined {
  const bare = clause.replace(/[.!?]+$/, '')
  return renamed(bare) ?? pageIntent(bare) ?? element(clause) ?? changed(bare) ?? put(bare)
}

function renamed(clause: string): Intent | undefined {
  const [, target, value] =
    clause.match(/^rename (.+?) (?:to|into|as) (.+)$/i) ??
    clause.match(/^(?:be)?nenne (.+?) (?:in|zu) (.+?)(?: um)?$/i) ??
    clause.match(/^renomm(?:er|ez?) (.+?) en (.+)$/i) ??
    []
  return target && value ? { kind: 'field', target, field: 'title', value: withoutQuotes(value) } : undefined
}

/** The patterns bound the length of names, so that the time of a match grows only linearly with the text. */
const changes = [
  /^(?:change|set|update) (?:the )?(?<field>[\w ]{1,60}?) (?:of|on|for|in) (?<target>.{1,200}?)(?: from .{1,100}?)? to (?<value>.+)$/i,
  /^(?:change|set|update) (?<target>.{1,200}?)['’]s (?<field>\w+)(?: from .{1,100}?)? to (?<value>.+)$/i,
  /^(?:change|set|update) (?:the )?(?<field>\w+)(?: from .{1,100}?)? to (?<value>.+)$/i,
  /^(?:change|set|update) (?:the )?(?<target>.{1,200}?) (?<field>price|title|header)(?: from .{1,100}?)? to (?<value>.+)$/i,
  /^(?:ändere|setze|korrigiere) (?:den |die |das )?(?<field>[\wäöüß]+) (?:von|auf|der|des|für|bei|in) (?<target>.{1,200}?)(?: von .{1,100}?)? (?:auf|in|zu) (?<value>.+?)$/i,
  /^(?:ändere|setze|korrigiere) (?:den |die |das )?(?<field>[\wäöüß]+) (?<target>dies\p{L}{1,3} [\p{L}_-]{1,60}) (?:auf|in|zu) (?<value>.+?)$/iu,
  /^(?:ändere|setze|korrigiere) (?:den |die |das )?(?<field>[\wäöüß]+)(?: von .{1,100}?)? (?:auf|in|zu) (?<value>.+?)$/i,
  /^(?:chang|modifi|fix)(?:er|ez?) (?:la |le |l[’'])?(?<field>[\p{L}_]{1,60}) (?:de la |du |de l[’']|des |de |d[’'])(?<target>.{1,200}?) (?:à|en) (?<value>.+)$/iu,
]

const fields: Record<string, string> = {
  titel: 'title',
  name: 'title',
  headline: 'header',
  heading: 'header',
  überschrift: 'header',
  text: 'body',
  content: 'body',
  inhalt: 'body',
  adresse: 'slug',
  address: 'slug',
  beschreibung: 'description',
  titre: 'title',
  texte: 'body',
}

function changed(clause: string): Intent | undefined {
  const groups = changes.map((pattern) => clause.match(pattern)?.groups).find(Boolean)
  if (!groups) return undefined
  const { field = '', target = '', value = '' } = groups
  const name = field.toLowerCase()
  if (/^(?:price|preis|prix)$/.test(name)) return { kind: 'price', target, value: withoutQuotes(value) }
  return {
    kind: 'field',
    target,
    field: own(fields, name) ?? name.replaceAll(' ', '_'),
    value: withoutQuotes(value),
  }
}

function put(clause: string): Intent | undefined {
  const [, value, target] =
    clause.match(/^(?:put|write) (.+) (?:on|onto|to|in) (.+)$/i) ??
    clause.match(/^(?:schreibe?|setze) (.+) (?:auf|in) (.+)$/i) ??
    []
  if (!value || !target) return undefined
  const text = withoutQuotes(value)
  if (amount.test(text)) return { kind: 'price', target, value: text }
  return isQuoted.test(value)
    ? { kind: 'element', type: 'text', page: target, header: '', body: text }
    : undefined
}

const pages = [
  /^(?:create|add|make|draft) (?:an? |the )?(?:new )?(?:hidden )?(?:sub)?page (?:called |named |titled |with the title )?(?<title>.+?)(?: (?:under|below|beneath|in|on) (?<parent>.+))?$/i,
  /^(?:erstelle|erzeuge|lege|füge) (?:mir )?(?:eine )?(?:neue )?(?:versteckte )?(?:unter)?seite (?:namens |mit dem titel )?(?<title>.+?)(?: (?:unterhalb von|unterhalb|unter|in|auf) (?<parent>.+?))?(?: an| hinzu)?$/i,
  /^(?:cré|ajout)(?:er|ez?) (?:une )?(?:nouvelle )?(?:sous-)?page (?:masquée )?(?:nommée |intitulée )?(?<title>.+?)(?: (?:sous|dans) (?<parent>.+))?$/i,
]

function pageIntent(clause: string): Intent | undefined {
  const groups = pages.map((pattern) => clause.match(pattern)?.groups).find(Boolean)
  if (!groups?.title) return undefined
  return { kind: 'page', title: withoutQuotes(groups.title), parent: groups.parent ?? '' }
}

const elements = [
  /^(?:create|add|make|draft) (?:an? )?(?:new )?(?:hidden )?(?<type>text|header|headline|list|html|content) (?:content )?(?:element|block)\b(?<rest>.*)$/i,
  /^(?:erstelle|erzeuge|lege|füge) (?:ein |eine )?(?:neues? )?(?:verstecktes? )?(?<type>text|überschrift|listen|html|inhalts)-?element\b(?<rest>.*?)(?: an| hinzu)?$/i,
  /^(?:cré|ajout)(?:er|ez?) (?:un )?(?:nouvel )?élément (?:masqué )?(?:de |d[’'])?(?<type>texte|titre|liste|html|contenu)(?<rest>(?:[\s:].*)?)$/i,
]
const types: Record<string, 'header' | 'list' | 'html'> = {
  header: 'header',
  headline: 'header',
  überschrift: 'header',
  list: 'list',
  listen: 'list',
  titre: 'header',
  liste: 'list',
  html: 'html',
}

/** “… “Delivery” on page 3: Within five days.”: the quoted text is the header, the text after the colon is the body. */
function element(clause: string): Intent | undefined {
  const groups = elements.map((pattern) => clause.match(pattern)?.groups).find(Boolean)
  if (!groups) return undefined
  const { type = '', rest = '' } = groups
  const [, body = ''] =
    rest.match(/: ?(.+)$/) ??
    rest.match(/ (?:with (?:the )?(?:text|body)|mit (?:dem )?text|saying) (.+)$/i) ??
    []
  const before = rest.slice(0, rest.length - body.length)
  const [, header = ''] = before.match(/["“„'«]\s?([^"“”„'«»]+?)\s?["”“'»]/) ?? []
  const [, target = ''] =
    before.match(/ (?:on|to|in|auf|zu|sur|dans) (?:der )?(.+?)(?:\s?: ?| (?:with|mit|saying|avec).*)?$/i) ??
    []
  return {
    kind: 'element',
    type: own(types, type.toLowerCase()) ?? 'text',
    page: target,
    header,
    body: withoutQuotes(body),
  }
}

const isQuoted = /^["“„'](.*)["”“']$/

function withoutQuotes(value: string): string {
  return value.trim().replace(isQuoted, '$1').trim()
}
