import type { CallToolResult } from '@modelcontextprotocol/client'

/** What a model reads of a result: its structured content where it has one, else its texts; the rest as a note. */
export function textOf({ structuredContent, content = [] }: CallToolResult): string {
  const notes = content.flatMap((block) => (block.type === 'text' ? [] : [note(block)]))
  const texts = content.flatMap((block) => (block.type === 'text' ? [block.text] : []))
  const words = structuredContent === undefined ? texts : [JSON.stringify(structuredContent, null, 1)]
  return [...words, ...notes].join('\n')
}

type Block = Exclude<NonNullable<CallToolResult['content']>[number], { type: 'text' }>

/** A line that describes a part that is not text: a model reads no bytes. */
function note(block: Block): string {
  switch (block.type) {
    case 'image':
    case 'audio':
      return `[${block.type}, ${block.mimeType}, ${bytes(block.data)}: not shown]`
    case 'resource_link':
      return `[link to a resource: ${block.uri}]`
    case 'resource':
      return 'text' in block.resource
        ? block.resource.text
        : `[file ${block.resource.uri}, ${bytes(block.resource.blob)}: not shown]`
  }
}

const bytes = (base64: string) => `${Math.ceil((base64.length * 3) / 4 / 1024)} KB`
