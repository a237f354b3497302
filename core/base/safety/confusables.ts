import { decodeHTML } from 'entities/decode'
import lookalikes from './lookalikes.json' with { type: 'json' }

/**
 * Finds words that must not appear in untrusted text. It finds disguised words, too: in another case, spaced out, with
 * invisible characters, as (nested) entities or in look-alike forms of Unicode. It searches the text as a model may
 * read it, and removes the match from the original. `lookalikes.json` has Unicode's look-alikes of the characters in
 * markers; `scripts/lookalikes.ts` generates it.
 */

/** Characters that a reader does not see, or that only stretch a word. */
export const ignorable = /[\s\p{C}\p{Z}\p{Mn}\u115f\u1160\u2800\u3164\uffa0]/u

/** An entity at the start of a text; its ampersand may be escaped any number of times. */
const entity = /^&(?:amp;|#0{0,8}38;|#x0{0,8}26;){0,60}((?:#\d{1,9}|#x[0-9a-f]{1,8}|[a-z][a-z0-9]{1,30});?)/i

/** Look-alikes that Unicode's list lacks or assigns to another character. */
const more = {
  '<': '〈〈⟨≺',
  '>': '〉〉⟩≻',
  '-': '‑',
  _: '‿⁀',
  n: 'п',
  s: 'ς',
}
const alike = new Map([
  ...Object.entries(lookalikes.characters).flatMap(([plain, points]) =>
    points
      .split(' ')
      .map((point): [string, string] => [String.fromCodePoint(Number.parseInt(point, 16)), plain]),
  ),
  ...Object.entries(more).flatMap(([plain, others]) =>
    [...others].map((other): [string, string] => [other, plain]),
  ),
])

/**
 * The plain reading of a text. For each code unit of `plain`, `from` has the start of its character in the original.
 */
type LookalikeReading = { plain: string; from: Numbers }

/**
 * Replaces every match of `pattern` in a text by `[removed]`. The pattern (flag `g`) applies to the plain reading:
 * lower case, no spaces. It must not match brackets, so that the remaining text cannot join to a new match. The time
 * is linear in the text.
 */
export function strip(text: string, pattern: RegExp): string {
  const { plain, from } = read(text)
  const parts: string[] = []
  let at = 0
  for (const match of plain.matchAll(pattern)) {
    if (match[0] === '') continue
    parts.push(text.slice(at, from.at(match.index)), '[removed]')
    const last = from.at(match.index + match[0].length - 1)
    at = last + decode(text, last)[1]
  }
  return parts.join('') + text.slice(at)
}

/** Returns the text as a model may read it: lower case, entities decoded, without spaces and invisible characters. */
export function plain(text: string): string {
  return read(text).plain
}

function read(text: string): LookalikeReading {
  const fold = folder()
  const units = new Numbers(Uint16Array, text.length)
  const from = new Numbers(Uint32Array, text.length)
  for (let at = 0; at < text.length; ) {
    const [characters, length] = decode(text, at)
    const folded = fold(characters)
    for (let unit = 0; unit < folded.length; unit++) {
      units.push(folded.charCodeAt(unit))
      from.push(at)
    }
    at += length
  }
  return { plain: units.text(), from }
}

type NumbersOf = typeof Uint16Array | typeof Uint32Array

/** A growing list of numbers in a typed array; for a text of a megabyte, the list has millions of numbers. */
class Numbers {
  readonly #kind: NumbersOf
  #all: Uint16Array | Uint32Array
  #count = 0

  constructor(kind: NumbersOf, expected: number) {
    this.#kind = kind
    this.#all = new kind(expected + 16)
  }

  push(number: number): void {
    if (this.#count === this.#all.length) {
      const larger = new this.#kind(this.#all.length * 2)
      larger.set(this.#all)
      this.#all = larger
    }
    this.#all[this.#count++] = number
  }

  at(place: number): number {
    return this.#all[place] as number
  }

  /** Returns the 16-bit numbers as the code units of a text. */
  text(): string {
    const { buffer, byteOffset, BYTES_PER_ELEMENT } = this.#all
    return Buffer.from(buffer, byteOffset, this.#count * BYTES_PER_ELEMENT).toString('utf16le')
  }
}

/** Returns the character at a position, decoded if it is an entity, and its length in code units. */
function decode(text: string, at: number): [string, number] {
  const character = String.fromCodePoint(text.codePointAt(at) as number)
  if (character !== '&') return [character, character.length]
  const found = entity.exec(text.slice(at, at + 600))
  if (!found) return ['&', 1]
  return [resolved(`&${found[1]}`), found[0].length]
}

/** Decodes an entity as browsers do: old entities need no semicolon and may touch the next text, `&ltb` is `<b`. */
function resolved(text: string): string {
  const next = decodeHTML(text)
  return next === text ? text : resolved(next)
}

/** Returns a version of `folded` with a cache: a text of a megabyte has only a few hundred different characters. */
function folder(): (characters: string) => string {
  const known = new Map<string, string>()
  return (characters) => {
    let units = ''
    for (const character of characters) {
      const found = known.get(character) ?? folded(character)
      known.set(character, found)
      units += found
    }
    return units
  }
}

/**
 * Returns the plain reading of a character. A character that expands to a whole phrase (U+FDFA to 18 characters) stays
 * as it is. No marker contains such a phrase, and a text of such characters would become many times longer.
 */
function folded(character: string): string {
  const unfolded = [...character.normalize('NFKD').toLowerCase()]
  if (unfolded.length > maxUnfolded) return character
  return unfolded.map((one) => (ignorable.test(one) ? '' : (alike.get(one) ?? one))).join('')
}

/** The longest expansion of a character in Latin letters: U+33AF, "rad∕s2". */
const maxUnfolded = 6
