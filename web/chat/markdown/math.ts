import type { MarkedExtension, TokenizerAndRendererExtension } from 'marked'

/** A formula as it was written: TeX, between its marks. */
export type MathToken = { type: 'math'; raw: string; source: string; isBlock: boolean }

/** A formula is no longer than this, so that a mark without an end costs no more than this. */
const block = /^ {0,3}(?:\$\$([^$]{1,2000}?)\$\$|\\\[([\s\S]{1,2000}?)\\\])[ \t]*(?:\n|$)/
const inline = /^(?:\$\$([^$\n]{1,500}?)\$\$|\\\[([^\n]{1,500}?)\\\]|\\\(([^\n]{1,500}?)\\\))/

const tokenizer = (
  level: 'block' | 'inline',
  begin: RegExp,
  whole: RegExp,
): TokenizerAndRendererExtension => ({
  name: 'math',
  level,
  start: (text) => {
    const at = text.search(begin)
    return at < 0 ? undefined : at
  },
  tokenizer: (text) => {
    const found = whole.exec(text)
    if (!found) return undefined
    const source = (found[1] ?? found[2] ?? found[3] ?? '').trim()
    return { type: 'math', raw: found[0], source, isBlock: level === 'block' } satisfies MathToken
  },
})

/** Reads `\( \)`, `\[ \]` and `$$ $$` as formulas; a single `$` is a price. */
export const math: MarkedExtension = {
  extensions: [
    tokenizer('block', /(?<=\n) {0,3}(?:\$\$|\\\[)/, block),
    tokenizer('inline', /\$\$|\\[[(]/, inline),
  ],
}

/** More marks than this are no formulas; looking for the end of each would take time with the square of them. */
const mostMarks = 400

/** True for a text that may have formulas. */
export function hasMath(text: string): boolean {
  const marks = text.match(/\$\$|\\[[(]/g)?.length ?? 0
  return marks > 0 && marks <= mostMarks
}
