import type { ModelRequest, UserBlock } from './model.ts'

/**
 * The parts of a request that an answer can cite: results of tools and texts of files by their lines, PDF documents by
 * their pages. The API counts texts and documents in the order of the request; the encoder of requests and the decoder
 * of answers both count with this file.
 */

/** Returns the texts and the documents that can be cited, each in the order of the request. */
export function citables({ messages }: Pick<ModelRequest, 'messages'>): {
  texts: UserBlock[]
  documents: UserBlock[]
} {
  const blocks = messages.flatMap(({ role, content }) => (role === 'user' ? content : []))
  return { texts: blocks.filter(isCitable), documents: blocks.filter(({ type }) => type === 'document') }
}

/** True for a result without an error, and for the text of a file. */
export function isCitable(block: UserBlock): block is Extract<UserBlock, { text: string }> {
  return block.type === 'tool_result' ? !block.isError : block.type === 'text' && block.fileUid !== undefined
}

/** Limit of the parts of one text: each part costs a few tokens. */
const mostParts = 300

/**
 * Returns the parts of a text that can be cited: lines or groups of lines, never blank; joined, they are the whole
 * text.
 */
export function partsOf(text: string): string[] {
  const lines = text.split(/(?<=\n)/)
  const size = Math.ceil(lines.length / mostParts)
  const parts: string[] = []
  for (const [at, line] of lines.entries()) {
    const isBegun = parts.length > 0 && (at % size !== 0 || line.trim() === '' || parts.at(-1)?.trim() === '')
    if (isBegun) parts.push(`${parts.pop()}${line}`)
    else parts.push(line)
  }
  return parts
}
