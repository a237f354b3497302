import { clientOptions, type MessagesOptions, messagesModel } from './messages.ts'
import type { Model } from './model.ts'

/** Options of a model on Amazon Bedrock. There is no key: the role of the function signs requests. */
type BedrockOptions = MessagesOptions & { region: string }

/**
 * Returns a model that is Claude on Amazon Bedrock. The first call loads the SDK, so that a process without calls does
 * not pay for it.
 */
export function bedrock(options: BedrockOptions): Model {
  return messagesModel(() => connect(options), { ...options, address: addressOf(options) })
}

const addressOf = ({ region, baseUrl }: BedrockOptions) =>
  baseUrl ?? `https://bedrock-runtime.${region}.amazonaws.com`

async function connect(options: BedrockOptions) {
  const { AnthropicBedrock } = await import('@anthropic-ai/bedrock-sdk/client')
  return new AnthropicBedrock({
    awsRegion: options.region,
    baseURL: addressOf(options),
    // A key in the environment would take precedence over the role.
    apiKey: null,
    ...clientOptions(options),
  })
}
