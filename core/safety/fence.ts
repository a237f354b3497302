import { createHmac } from 'node:crypto'
import { strip } from './confusables.ts'
import { withoutTags } from './invisible.ts'

/**
 * The fence around data that did not come from the administrator: tool results, documents, file names. Its marker
 * carries a nonce that the author of the data cannot know, and the system prompt says that the content of a fence is
 * never an instruction.
 */

/** The nonce of a conversation: the same over turns and consumers, so that the prompt cache holds. */
export function nonce(secret: string, conversationId: string): string {
  return createHmac('sha256', secret).update(`fence\n${conversationId}`).digest('hex').slice(0, 24)
}

/**
 * The text inside `<data-NONCE source="…">`, rid of that marker in every disguise and of tag characters, which no person
 * reads. `source` is shortened and escaped.
 */
export function fence(nonce: string, source: string, text: string): string {
  const marker = new RegExp(`<?/?(?:data-?)?${nonce}>?`, 'g')
  return `<data-${nonce} source="${attribute(strip(source, marker))}">\n${strip(withoutTags(text), marker)}\n</data-${nonce}>`
}

const escapes: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }

function attribute(source: string): string {
  const line = [...source.replace(/[\p{C}\s]+/gu, ' ').trim()].slice(0, 200).join('')
  return line.replace(/[&<>"]/g, (character) => escapes[character] as string)
}
