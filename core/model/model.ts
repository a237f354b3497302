/**
 * A language model behind any provider, in words of our own; the vendor's are known to the adapters alone. Implemented
 * by `anthropic`, `bedrock` and `demo`.
 */
export type Model = {
  /** One call. Rejects with ModelError, or with the signal's reason when it is aborted. */
  ask(request: ModelRequest, signal: AbortSignal): Promise<Answer>
  capabilities: Capability[]
  /** The provider's name and model id, for people; `isAI` is false for the demo alone. */
  about: { provider: string; model: string; isAI: boolean }
  limits: ModelLimits
}

export type Capability = 'vision' | 'pdf' | 'tools'

/** What one request may hold, in the units of the provider. */
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
  /** Parts of the system prompt, in order; `cache` marks the end of a stable prefix. */
  system: { text: string; cache?: boolean }[]
  messages: ModelMessage[]
  tools: ToolSpec[]
  /** `none`: the same tools are sent, so that the cache holds, but the model must answer with text. */
  toolChoice: 'auto' | 'none'
  maxTokens: number
  /** How much and when the model thinks; what is left out, the model decides. */
  reasoning?: Reasoning
}

/** How much the model may think and write, and when it thinks; the words of the Messages API. */
export type Reasoning = {
  effort?: 'low' | 'medium' | 'high' | 'xhigh' | 'max'
  thinking?: 'adaptive' | 'between_tools' | 'disabled'
}

export type ToolSpec = { name: string; description: string; schema: Record<string, unknown> }

export type ModelMessage =
  | { role: 'user'; content: UserBlock[] }
  | { role: 'assistant'; content: AssistantBlock[] }

export type UserBlock =
  | { type: 'text'; text: string }
  | ImageBlock
  | { type: 'document'; mimeType: 'application/pdf'; base64: string; title: string }
  | { type: 'tool_result'; callId: string; text: string; isError: boolean; images?: ImageBlock[] }

/** A picture that a model sees. */
export type ImageBlock = {
  type: 'image'
  mimeType: 'image/png' | 'image/jpeg' | 'image/gif' | 'image/webp'
  base64: string
}

export type AssistantBlock =
  | { type: 'text'; text: string }
  | { type: 'tool_call'; id: string; name: string; arguments: Record<string, unknown> }
  | Thought

/** What the model thought, as the provider signed or sealed it; sent back unchanged or not at all, never shown. */
export type Thought =
  | { type: 'thinking'; thinking: string; signature: string }
  | { type: 'redacted_thinking'; data: string }

/** A part of an answer at its place among the others; a call by its number among the calls. */
export type Part = Thought | { type: 'text'; text: string } | { type: 'call'; at: number }

export type Answer = {
  text: string
  /** Complete calls only. One that was cut off by `length` is not among them. */
  calls: { id: string; name: string; arguments: Record<string, unknown> }[]
  stop: 'end' | 'calls' | 'length' | 'refusal' | 'context'
  usage: Usage
  /** The whole answer in its order, where the model thought: calls are continued with it. Never to be shown or logged. */
  parts?: Part[]
  /** Id of the model that answered because the first choice did not. */
  standIn?: string
}

/** Tokens as the provider counted them; `input` includes what was read from and written to the cache. */
export type Usage = { input: number; output: number; cacheRead: number; cacheWrite: number }

export type ModelFailure = 'model.unavailable' | 'model.rejected' | 'model.unauthorized' | 'model.tooLarge'

/** A call that failed for good, after retries. `message` is short and sanitized; `attachment` names a refused block. */
export class ModelError extends Error {
  readonly code: ModelFailure
  readonly attachment: { message: number; block: number } | undefined

  constructor(
    code: ModelFailure,
    message: string,
    options: { attachment?: { message: number; block: number }; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause })
    this.name = 'ModelError'
    this.code = code
    this.attachment = options.attachment
  }
}
