import Anthropic, { type ClientOptions } from '@anthropic-ai/sdk'
import { clientOptions, type MessagesOptions, messagesModel } from './messages.ts'
import type { Model } from './model.ts'

/** Options of a model that is called over HTTP with a key. */
type AnthropicOptions = MessagesOptions & {
  key: string
  fetch?: ClientOptions['fetch']
}

/** Returns a model: Claude at Anthropic, or any server with the Messages API (Ollama, llama.cpp, LiteLLM …). */
export function anthropic(options: AnthropicOptions): Model {
  const address = options.baseUrl ?? origin
  const ids = address.startsWith(origin) ? 'plain' : 'given'
  return messagesModel(async () => connect(options), { ...options, address, ids })
}

const origin = 'https://api.anthropic.com'

/** Sets every option explicitly: for a missing option, the SDK would read the environment and the home directory. */
function connect(options: AnthropicOptions): Anthropic {
  const { key, baseUrl, fetch } = options
  return new Anthropic({
    apiKey: key,
    baseURL: baseUrl ?? origin,
    ...clientOptions(options),
    ...(fetch && { fetch }),
  })
}
