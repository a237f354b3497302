import { decodeHTML } from 'entities'

/**
 * Finds words that must not appear in foreign text however they are written: in another case, spaced out, with
 * invisible characters, as entities (nested ones too) or in look-alike forms of Unicode. The text is read as a model
 * may read it; what is taken out is the original.
 */

/** Characters that a reader does not see, or that only stretch a word. */
const ignorable = /[\s\p{C}\p{Z}\p{Mn}\u115f\u1160\u2800\u3164\uffa0]/u

/** An entity at the start of a text, with any number of times that its ampersand was escaped again. */
const entity = /^&(?:amp;|#0{0,8}38;|#x0{0,8}26;){0,60}((?:#\d{1,9}|#x[0-9a-f]{1,8}|[a-z][a-z0-9]{1,30});?)/i

/** Look-alikes of the characters that markers are made of, beyond those that NFKD brings together. */
const alikes = {
  '<': '‹〈〈⟨❮˂ᐸ≺',
  '>': '›〉〉⟩❯˃ᐳ≻',
  '/': '⁄∕⧸',
  '-': '‐‑‒–—−',
  _: '‿⁀',
  a: 'аɑα',
  c: 'с',
  d: 'ԁ',
  e: 'еҽ',
  i: 'іıɩι',
  n: 'ոռп',
  o: 'оοօ',
  r: 'гᴦ',
  s: 'ѕς',
  t: 'тτ',
  u: 'υսᴜ',
}
const alike = new Map(
  Object.entries(alikes).flatMap(([plain, others]) =>
    [...others].map((other): [string, string] => [other, plain]),
  ),
)

/** A text as it reads, and for each character of that where in the text it begins and ends. */
type Reading = { plain: string; from: number[]; to: number[] }

/**
 * The text with every match of `pattern` replaced by `[removed]`. The pattern (flag `g`) is written for the plain
 * reading: lower case, no spaces. It must not match brackets, so that what is left cannot join to a new match.
 */
export function strip(text: string, pattern: RegExp): string {
  const { plain, from, to } = read(text)
  let result = ''
  let at = 0
  for (const match of plain.matchAll(pattern)) {
    if (match[0] === '') continue
    result += `${text.slice(at, from[match.index])}[removed]`
    at = to[match.index + match[0].length - 1] as number
  }
  return result + text.slice(at)
}

/** The text as a model may read it: folded to lower case, entities resolved, without spaces and invisible characters. */
export function plain(text: string): string {
  return read(text).plain
}

function read(text: string): Reading {
  const units: string[] = []
  const from: number[] = []
  const to: number[] = []
  for (let at = 0; at < text.length; ) {
    const [characters, length] = decode(text, at)
    for (const unit of fold(characters)) {
      units.push(unit)
      from.push(at)
      to.push(at + length)
    }
    at += length
  }
  return { plain: units.join(''), from, to }
}

/** What stands at a position, entities resolved, and how many code units it takes in the text. */
function decode(text: string, at: number): [string, number] {
  const character = String.fromCodePoint(text.codePointAt(at) as number)
  if (character !== '&') return [character, character.length]
  const found = entity.exec(text.slice(at, at + 600))
  if (!found) return ['&', 1]
  return [resolved(`&${found[1]}`), found[0].length]
}

/** As browsers read it: old entities need no end and may run into what follows, `&ltb` is `<b`. */
function resolved(text: string): string {
  const next = decodeHTML(text)
  return next === text ? text : resolved(next)
}

/** Single code units, so that positions stay those of the joined string. */
function fold(characters: string): string[] {
  const units: string[] = []
  for (const character of characters.normalize('NFKD').toLowerCase())
    if (!ignorable.test(character)) units.push(...(alike.get(character) ?? character).split(''))
  return units
}
