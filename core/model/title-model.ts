import type { ModelRecord, Provider, Settings } from '../stage/settings/schema.ts'
import { isTrustedLike, type Resolved } from '../stage/settings/settings.ts'
import { microDollars } from './price.ts'

/** A model of the settings with its provider. */
export type ModelChoice = { model: ModelRecord; provider: Provider }

/** About the tokens of a call for a title. */
const usual = { input: 1_000, output: 30, cacheRead: 0, cacheWrite: 0 }

/**
 * Selects the model that writes the titles of a user with this configuration; undefined if the settings want none. Its
 * provider has at least the trust zone of the one that answers.
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
  return price === null && fallback?.provider.adapter !== 'demo' && fallback ? fallback : { model, provider }
}
