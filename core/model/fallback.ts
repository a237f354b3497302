import * as Log from '../base/log.ts'
import type { ModelRecord, Provider, Settings } from '../stage/settings/schema.ts'
import { isTrustedLike, type Resolved } from '../stage/settings/settings.ts'
import * as Port from './model.ts'
import { microDollars } from './price.ts'

/** A model of the settings with its provider. */
export type ModelChoice = { model: ModelRecord; provider: Provider }

/**
 * Creates the chosen model. If it is unavailable after all attempts, or its account has no credit, the fallback answers.
 * Both models together get the time of one call. A request keeps within the limits of both models.
 */
export async function chosen(
  { model, provider, fallback }: ModelChoice & { fallback?: ModelChoice },
  create: (provider: Provider, model: ModelRecord, share: number) => Promise<Port.Model>,
): Promise<Port.Model> {
  if (!fallback) return create(provider, model, 1)
  const first = await create(provider, model, 1 / 2)
  return {
    about: first.about,
    capabilities: Port.abilities({ model, fallback }),
    limits: narrower(first.limits, Port.limits(fallback.model, fallback.provider.adapter)),
    async ask(request, signal) {
      try {
        return await first.ask(request, signal)
      } catch (error) {
        if (!(error instanceof Port.ModelError) || !asksSecond.has(error.code)) throw error
        Log.warn('A second choice of model is asked', { model: fallback.model.modelId, because: error.code })
        const second = await create(fallback.provider, fallback.model, 1 / 2)
        // A thought is valid only for the model that wrote it.
        const { parts: _, ...answer } = await second.ask(withoutThoughts(request), signal)
        return { ...answer, standIn: second.about }
      }
    },
  }
}

/** The failures after which another provider may succeed. */
const asksSecond: ReadonlySet<Port.ModelError['code']> = new Set(['model.unavailable', 'model.unpaid'])

function narrower(first: Port.ModelLimits, second: Port.ModelLimits): Port.ModelLimits {
  const names = Object.keys(first) as (keyof Port.ModelLimits)[]
  return Object.fromEntries(
    names.map((name) => [name, Math.min(first[name], second[name])]),
  ) as Port.ModelLimits
}

function withoutThoughts(request: Port.ModelRequest): Port.ModelRequest {
  const messages = request.messages.map((message): Port.ModelMessage => {
    if (message.role === 'user') return message
    const isKept = ({ type }: { type: string }) => type !== 'thinking' && type !== 'redacted_thinking'
    return { ...message, content: message.content.filter(isKept) }
  })
  return { ...request, messages }
}

/** The approximate tokens of a call for a title. */
const usual = { input: 1_000, output: 30, cacheRead: 0, cacheWrite: 0 }

/**
 * Selects the model that writes titles for a user with this configuration; undefined if the settings want no titles.
 * Its provider has at least the trust zone of the provider that answers.
 */
export function titleModel(
  { titles, models, providers }: Settings,
  { model, provider, fallback }: Resolved,
): ModelChoice | undefined {
  if (titles === 'off' || provider.adapter === 'demo') return undefined
  const price = microDollars(usual, model.prices)
  if (price !== null) {
    const [cheapest] = models
      .flatMap((model) => {
        const by = providers.find(({ uid }) => uid === model.provider)
        const cost = microDollars(usual, model.prices)
        const isUsable = by?.active && by.adapter !== 'demo' && isTrustedLike(by, provider)
        return isUsable && cost !== null && cost < price ? [{ model, provider: by, cost }] : []
      })
      .sort((a, b) => a.cost - b.cost)
    if (cheapest) return cheapest
  }
  if (titles === 'cheaper') return undefined
  const isAnother = fallback && fallback.provider.adapter !== 'demo'
  return price === null && isAnother ? fallback : { model, provider }
}
