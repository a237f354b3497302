import * as Log from '../log.ts'
import type { ModelRecord, Provider } from '../settings/schema.ts'
import { limits } from './capability.ts'
import { type Model, ModelError, type ModelLimits, type ModelMessage, type ModelRequest } from './model.ts'

/** A model of the settings with its provider, and the one that answers where it does not. */
type Choice = { model: ModelRecord; provider: Provider; fallback?: Omit<Choice, 'fallback'> }

/**
 * The model of a choice. With a second choice, that one answers when the first is not available after all attempts;
 * both share the time of one call. A request then holds no more than either takes.
 */
export async function chosen(
  { model, provider, fallback }: Choice,
  create: (provider: Provider, model: ModelRecord, share: number) => Promise<Model>,
): Promise<Model> {
  if (!fallback) return create(provider, model, 1)
  const first = await create(provider, model, 1 / 2)
  return {
    about: first.about,
    capabilities: first.capabilities.filter((one) => fallback.model.capabilities.includes(one)),
    limits: narrower(first.limits, limits(fallback.model, fallback.provider.adapter)),
    async ask(request, signal) {
      try {
        return await first.ask(request, signal)
      } catch (error) {
        if (!(error instanceof ModelError) || error.code !== 'model.unavailable') throw error
        Log.warn('A second choice of model is asked', { model: fallback.model.modelId })
        const second = await create(fallback.provider, fallback.model, 1 / 2)
        // What a model thought is bound to it.
        const { parts: _, ...answer } = await second.ask(withoutThoughts(request), signal)
        return { ...answer, standIn: second.about.model }
      }
    },
  }
}

function narrower(first: ModelLimits, second: ModelLimits): ModelLimits {
  const names = Object.keys(first) as (keyof ModelLimits)[]
  return Object.fromEntries(names.map((name) => [name, Math.min(first[name], second[name])])) as ModelLimits
}

function withoutThoughts(request: ModelRequest): ModelRequest {
  const messages = request.messages.map((message): ModelMessage => {
    if (message.role === 'user') return message
    const isKept = ({ type }: { type: string }) => type !== 'thinking' && type !== 'redacted_thinking'
    return { ...message, content: message.content.filter(isKept) }
  })
  return { ...request, messages }
}
