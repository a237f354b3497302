const longest = 80

/** The title of a conversation from its first message: one line, at most 80 characters, cut at a word. */
export function title(content: string, fileName: string | undefined): string {
  const line = (content.trim() || fileName || '').replace(/\s+/gu, ' ')
  const points = [...line]
  if (points.length <= longest) return line
  const cut = points.slice(0, longest - 1).join('')
  const word = cut.lastIndexOf(' ')
  return `${(word > longest / 2 ? cut.slice(0, word) : cut).trimEnd()}…`
}
