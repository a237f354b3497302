import type { CallToolResult } from '@modelcontextprotocol/client'
import type { ImageBlock } from '../../conversation/transcript/schema.ts'
import type { Found, ToolContext } from '../tool.ts'

/**
 * Turns the result of a remote tool into text for the model: the structured content if there is any, else the texts.
 * Adds the pictures if the model can see them, and a note about the rest. `see` is absent if the model cannot see
 * pictures.
 */
export async function foundIn(
  { structuredContent, content = [] }: CallToolResult,
  see: ToolContext['see'],
): Promise<Found> {
  const images: ImageBlock[] = []
  const notes: string[] = []
  for (const block of content) {
    if (block.type === 'text') continue
    const seen =
      block.type === 'image' ? await see?.({ mimeType: block.mimeType, base64: block.data }) : undefined
    if (seen) images.push(seen)
    notes.push(seen ? `[image ${images.length}: beside this result, as long as this turn runs]` : note(block))
  }
  const texts = content.flatMap((block) => (block.type === 'text' ? [block.text] : []))
  const words = structuredContent === undefined ? texts : [JSON.stringify(structuredContent, null, 1)]
  return { text: [...words, ...notes].join('\n'), ...(images.length > 0 && { images }) }
}

type Block = Exclude<NonNullable<CallToolResult['content']>[number], { type: 'text' }>

/** Describes a part of a result whose bytes the model does not get. */
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
