import { html } from 'lit'
import type { View } from '../view/view.ts'

/** The kind of a character that is invisible, or that changes how other characters are read. */
export type HiddenKind = ReturnType<typeof hiddenKind>

/** One or more consecutive hidden characters of the same kind. */
type Hidden = {
  kind: HiddenKind
  /** The code point, such as `U+202E`; for tag characters, the ASCII letters of which they are copies. */
  code: string
  count: number
}

/** Matches a whole emoji, which keeps its joiners, selectors and tags. */
const emoji = /\p{RGI_Emoji}/v
/** Matches characters that Unicode defines as invisible, ignorable, unassigned, or a space other than the usual one. */
const hidden =
  /[[\p{Cf}\p{Default_Ignorable_Code_Point}\p{Cc}\p{Co}\p{Cs}\p{Cn}\p{Zl}\p{Zp}\p{Zs}\u2800]--[ \n\t]]/v
const either = new RegExp(`(?<emoji>${emoji.source})|${hidden.source}`, 'gv')

/**
 * Splits a text: visible parts are strings, invisible characters are objects with their names. Line breaks, tabs and
 * the emoji that Unicode recommends count as visible. The strings and objects together cover every character.
 */
export function withHidden(text: string): (string | Hidden)[] {
  if (!hidden.test(text)) return text ? [text] : []
  const parts: (string | Hidden)[] = []
  let end = 0
  for (const match of text.matchAll(either)) {
    if (match.groups?.emoji !== undefined || isLineEnd(text, match.index)) continue
    if (match.index > end) parts.push(text.slice(end, match.index))
    add(parts, match[0])
    end = match.index + match[0].length
  }
  if (end < text.length) parts.push(text.slice(end))
  return parts
}

/** True for a carriage return before a line feed, because the two together are one line break. */
const isLineEnd = (text: string, at: number) => text[at] === '\r' && text[at + 1] === '\n'

function add(parts: (string | Hidden)[], character: string): void {
  const point = character.codePointAt(0) as number
  const kind = hiddenKind(point, character)
  const code = kind === 'tag' && isLetter(point) ? String.fromCharCode(point - tags) : codePointName(point)
  const before = parts.at(-1)
  if (typeof before !== 'object' || before.kind !== kind) parts.push({ kind, code, count: 1 })
  else if (kind === 'tag') Object.assign(before, { code: before.code + code, count: before.count + 1 })
  else if (before.code === code) before.count++
  else parts.push({ kind, code, count: 1 })
}

const tags = 0xe0000
/** True for a tag character that is an invisible copy of a letter, digit or mark of ASCII. */
const isLetter = (point: number) => point >= tags + 0x20 && point < tags + 0x7f

const codePointName = (point: number) => `U+${point.toString(16).toUpperCase().padStart(4, '0')}`

const fillers = new Set([0x115f, 0x1160, 0x3164, 0xffa0, 0x2800])

function hiddenKind(point: number, character: string) {
  if (point === 0xad) return 'softHyphen'
  if (fillers.has(point)) return 'filler'
  if (point >= tags && point <= tags + 0x7f) return 'tag'
  if (/\p{Variation_Selector}/u.test(character)) return 'variation'
  if (/\p{Bidi_Control}/u.test(character)) return 'direction'
  if (/[\p{Zs}\p{Zl}\p{Zp}]/u.test(character)) return 'space'
  if (/\p{Cc}/u.test(character)) return 'control'
  return /[\p{Co}\p{Cs}\p{Cn}]/u.test(character) ? 'unassigned' : 'zeroWidth'
}

/**
 * Returns a text of a proposal with a visible mark for each invisible character. The mark's text is the character's
 * name, so a copy of the card contains no hidden character.
 */
export function withMarks({ t }: View, text: string): unknown {
  const parts = withHidden(text)
  if (parts.length === 1 && parts[0] === text) return text
  return parts.map((part) => {
    if (typeof part === 'string') return part
    const { kind, code, count } = part
    const words = t(`hidden.${kind}`, { code, count })
    const short = count > 1 && kind !== 'tag' ? `${code} ×${count}` : code
    return html`<span class="unseen" role="img" dir="ltr" title=${words} aria-label=${words}>${short}</span>`
  })
}

/** Marks a title of the stage as `withMarks` does, but keeps the narrow spaces of French punctuation. */
export function titleWithMarks(view: View, title: string): unknown {
  return title.split(/(«\u202f|\u202f(?=[»;:!?]))/).map((part, at) => (at % 2 ? part : withMarks(view, part)))
}
