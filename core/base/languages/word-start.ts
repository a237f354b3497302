/** Scripts that write words without spaces between them; only a dictionary would tell where one begins. */
const unspaced = ['Han', 'Hiragana', 'Katakana', 'Bopomofo', 'Thai', 'Lao', 'Khmer', 'Myanmar']
const withoutSpaces = unspaced.map((script) => String.raw`\p{scx=${script}}`).join('')
const partOfWord = String.raw`\p{L}\p{M}\p{N}`
/** A letter or digit of a word that stands between spaces. */
const spaced = `[[${partOfWord}]--[${withoutSpaces}]]`
const needsStart = new RegExp(`^${spaced}`, 'v')

/**
 * Finds one of the words where a word begins with it, whatever case, as a group. In a script without spaces between
 * words it finds them wherever they stand.
 */
export function startOf(words: readonly string[]): RegExp {
  const literal = words.map((word) => {
    const escaped = word.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
    return needsStart.test(word) ? `(?<!${spaced})${escaped}` : escaped
  })
  return new RegExp(`(${literal.join('|')})`, 'iv')
}
