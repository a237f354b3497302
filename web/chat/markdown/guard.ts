/**
 * What keeps hostile text from freezing the page. The lexer needs time that grows with the square of nesting and of
 * open delimiters; real answers come nowhere near these bounds.
 */

const maxLength = 100_000
const maxNesting = 40
const maxDelimiters = 4_000

/** The text that the lexer may read; `undefined` when it is to be shown as it is. */
export function lexable(text: string): string | undefined {
  if (text.length > maxLength) return undefined
  if (countOf(text, /[*_~`[\]<!]/g) > maxDelimiters) return undefined
  return (
    text
      .replace(/^(?:[ \t]{0,3}>){41,}/gm, (marks) => '>'.repeat(maxNesting) + marks.replace(/[^\n]*/, ''))
      .replace(/^[ \t]{120,}/gm, ' '.repeat(maxNesting * 2))
      // The space between two marks is read in one way alone: a choice at each mark would double the time with each.
      .replace(/^([ \t]*(?:(?:[-+*]|\d{1,9}[.)])[ \t]+){20})(?:(?:[-+*]|\d{1,9}[.)])[ \t]+)+/gm, '$1')
  )
}

function countOf(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0
}
