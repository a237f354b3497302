import type { ModelRequest } from '../model/model.ts'

/** References as `[pages:3]`, or as `[3]` beside a title in quotation marks; a link and a number of a list are none. */
const reference =
  /\[([A-Za-z_][\w.-]{0,63}:[\w-][\w.~-]{0,127})\](?!\()|(?<=[”"»“‘’'] )\[(\d{1,15})\](?!\()|\[(\d{1,15})\](?= [“"«„‘])/g
const code = /```[\s\S]*?(?:```|$)|`[^`\n]*`/g

/** More references than this are not looked for: the search takes time for each. */
const most = 100

/**
 * The references of an answer that nothing in the request names, such as `31` or `posts:p-4`: the model made them up. In
 * doubt there are none: a uid counts as read wherever it stands, and nobody looks into a PDF that is sent as bytes.
 */
export function unreadReferences(
  answer: string,
  { system, messages }: Pick<ModelRequest, 'system' | 'messages'>,
): string[] {
  const names = [...answer.replace(code, ' ').matchAll(reference)].map(
    ([, named, before, after]) => named ?? before ?? after ?? '',
  )
  if (names.length === 0 || messages.some(hasBytes)) return []
  const all = [system.map(({ text }) => text), messages.map(({ content }) => content)]
  const read = JSON.stringify(all, (key, value) => (key === 'base64' ? undefined : value))
  return [...new Set(names)]
    .slice(0, most)
    .filter((name) => !isNamed(name.slice(name.indexOf(':') + 1), read))
}

const hasBytes = ({ content }: ModelRequest['messages'][number]) =>
  content.some(({ type }) => type === 'document')

/** True if the text names the uid as a word of its own. */
function isNamed(uid: string, text: string): boolean {
  for (let at = text.indexOf(uid); at !== -1; at = text.indexOf(uid, at + 1))
    if (!isWord(text[at - 1]) && !isWord(text[at + uid.length])) return true
  return false
}

const isWord = (character = '') => /\w/.test(character)
