import type { Mention } from '../conversation/schema.ts'

const longest = 80

/**
 * The title of a conversation from its first message: one line, at most 80 characters, cut at a word. The
 * titles of its mentions follow its words, unless these have them already.
 */
export function title(
  content: string,
  fileName: string | undefined,
  mentions: readonly Pick<Mention, 'title'>[] = [],
): string {
  return cutLine(named((content.trim() || fileName || '').replace(/\s+/gu, ' '), mentions), longest)
}

/** The line in at most so many characters, cut at a word. */
export function cutLine(line: string, longest: number): string {
  const points = [...line]
  if (points.length <= longest) return line
  const cut = points.slice(0, longest - 1).join('')
  const word = cut.lastIndexOf(' ')
  return `${(word > longest / 2 ? cut.slice(0, word) : cut).trimEnd()}…`
}

/** `Summarise Aurora lamp`, `What is new? – News, Home` */
function named(line: string, mentions: readonly Pick<Mention, 'title'>[]): string {
  const said = line.toLowerCase()
  const names = mentions.map(({ title }) => title.trim()).filter((name) => !said.includes(name.toLowerCase()))
  return [line, names.join(', ')].filter(Boolean).join(line.includes(' ') ? ' – ' : ' ')
}
