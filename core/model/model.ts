import type { ImageBlock } from '../conversation/transcript/schema.ts'
import type { ModelRecord, Provider } from '../stage/settings/schema.ts'
import type { Resolved } from '../stage/settings/settings.ts'

/**
 * The maximum number of characters in the id of a call: more than any known server uses, also with signatures inside
 * it.
 */
export const maxIdLength = 8_000

/**
 * A language model of any provider, in the product's own terms; only the adapters know the vendor's terms. Implemented
 * by `anthropic`, `bedrock` and `demo`.
 */
export type Model = {
  /** Makes one call. Rejects with ModelError, or with the signal's reason when it is aborted. */
  ask(request: ModelRequest, signal: AbortSignal): Promise<Answer>
  capabilities: Capability[]
  /** The provider's name and model id, for people; `isAI` is false for the demo alone. */
  about: { provider: string; model: string; isAI: boolean }
  limits: ModelLimits
}

export type Capability = 'vision' | 'pdf' | 'tools'

/** Returns the capabilities that a turn may rely on: those of its model that the fallback also has. */
export const abilities = ({ model, fallback }: Pick<Resolved, 'model' | 'fallback'>): Capability[] =>
  model.capabilities.filter((one) => fallback?.model.capabilities.includes(one) ?? true)

/** Limits of one request, in the units of the provider. */
export type ModelLimits = {
  contextTokens: number
  maxOutputTokens: number
  /** Size of one image in bytes before base64, and its longest edge in pixels. */
  imageBytes: number
  imageEdge: number
  images: number
  pdfPages: number
  /** Sum of all attachments in bytes before base64. */
  attachmentBytes: number
}

export type ModelRequest = {
  /**
   * Parts of the system prompt, in order. `cache` marks the end of a stable prefix, and `hour` keeps that prefix
   * longer. `late` parts change with the open page and follow the history if the model accepts that.
   */
  system: { text: string; cache?: boolean | 'hour'; late?: boolean }[]
  messages: ModelMessage[]
  tools: ToolSpec[]
  /** `none`: the request has the same tools, so that the cache is valid, but the model must answer with text. */
  toolChoice: 'auto' | 'none'
  maxTokens: number
  /** Amount and time of the model's thinking; the model decides about missing fields. */
  reasoning?: {
    effort?: 'low' | 'medium' | 'high' | 'xhigh' | 'max'
    thinking?: 'adaptive' | 'between_tools' | 'disabled'
  }
}

/** Returns a request for one text, without tools: the instructions, and the parts of one user message. */
export const plainRequest = (instructions: string, parts: string[], maxTokens: number): ModelRequest => ({
  system: [{ text: instructions }],
  messages: [{ role: 'user', content: parts.map((text) => ({ type: 'text', text })) }],
  tools: [],
  toolChoice: 'none',
  maxTokens,
})

export type ToolSpec = { name: string; description: string; schema: Record<string, unknown> }

export type ModelMessage =
  | { role: 'user'; content: UserBlock[] }
  | { role: 'assistant'; content: AssistantBlock[] }

export type UserBlock =
  /** `fileUid` marks the text of a user's file, which an answer can cite. */
  | { type: 'text'; text: string; fileUid?: number }
  | ImageBlock
  | { type: 'document'; mimeType: 'application/pdf'; base64: string; title: string; fileUid?: number }
  | { type: 'tool_result'; callId: string; text: string; isError: boolean; images?: ImageBlock[] }

export type AssistantBlock =
  | { type: 'text'; text: string }
  | { type: 'tool_call'; id: string; name: string; arguments: Record<string, unknown> }
  | Thought

/** A thought of the model, signed or encrypted by the provider; sent back unchanged or not at all, never shown. */
export type Thought =
  | { type: 'thinking'; thinking: string; signature: string }
  | { type: 'redacted_thinking'; data: string }

/** A part of an answer in its order; `at` is the position of a call among the calls. */
export type Part = Thought | { type: 'text'; text: string } | { type: 'call'; at: number }

export type Answer = {
  text: string
  /** Complete calls only; a call that `length` cut off is missing. */
  calls: { id: string; name: string; arguments: Record<string, unknown> }[]
  stop: 'end' | 'calls' | 'length' | 'refusal' | 'context'
  usage: Usage
  /** The citations of the text, in text order; only a model that is asked to cite has them. */
  citations?: Citation[]
  /** The whole answer in order, if the model thought; the next request must repeat it. Never show or log it. */
  parts?: Part[]
  /** The fallback model that answered because the first choice did not. */
  standIn?: Model['about']
}

/** Returns the model that gave an answer: the one that was asked, or its fallback. */
export const authorOf = ({ standIn }: Pick<Answer, 'standIn'>, asked: Pick<Model, 'about'>): Model['about'] =>
  standIn ?? asked.about

/**
 * A citation of an answer: parts of a text as `partsOf` counts them, or pages of a document from 1; `to` is exclusive.
 * `at` is the number of characters of the answer before the mark.
 */
export type Citation = { at: number; block: UserBlock; from: number; to: number }

/**
 * The tokens of a call as the provider counted them. `input` includes cache reads and writes. `cacheWrite` includes
 * `cacheWriteHour`, the writes that are kept for an hour.
 */
export type Usage = {
  input: number
  output: number
  cacheRead: number
  cacheWrite: number
  cacheWriteHour?: number
}

export type ModelFailure =
  | 'model.unavailable'
  | 'model.unpaid'
  | 'model.rejected'
  | 'model.unauthorized'
  | 'model.tooLarge'

/** A call that failed for good, after retries. `message` is short and sanitized; `attachment` names a refused block. */
export class ModelError extends Error {
  readonly code: ModelFailure
  readonly attachment: { message: number; block: number } | undefined
  /** True if the request has too many tokens; the blamed attachment may be innocent. */
  readonly exceedsWindow: boolean

  constructor(
    code: ModelFailure,
    message: string,
    options: {
      attachment?: { message: number; block: number }
      exceedsWindow?: boolean
      cause?: unknown
    } = {},
  ) {
    super(message, { cause: options.cause })
    this.name = 'ModelError'
    this.code = code
    this.attachment = options.attachment
    this.exceedsWindow = options.exceedsWindow ?? false
  }
}

const mb = 1_000_000

/**
 * Limits of one request to a model. Images: 5 MB as base64 and 2,000 pixels, which are valid for any number of images;
 * the provider scales larger ones down anyway. Requests: 32 MB at Anthropic, less on Bedrock, both as base64. Sources:
 * https://platform.claude.com/docs/en/build-with-claude/vision and …/pdf-support.
 */
export function limits(
  { contextTokens, maxOutputTokens }: Pick<ModelRecord, 'contextTokens' | 'maxOutputTokens'>,
  adapter: Provider['adapter'],
): ModelLimits {
  const isLarge = contextTokens >= 1_000_000
  const isBedrock = adapter === 'bedrock'
  return {
    contextTokens,
    maxOutputTokens,
    imageBytes: 3.75 * mb,
    imageEdge: 2_000,
    images: isLarge ? 600 : 100,
    pdfPages: isLarge && !isBedrock ? 600 : 100,
    attachmentBytes: isBedrock ? 12 * mb : 20 * mb,
  }
}
