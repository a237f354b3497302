import { config } from '../base/config.ts'
import type { ModelRecord, Provider } from '../stage/settings/schema.ts'
import { timing } from './deadline.ts'
import type { Manner } from './encode.ts'
import { limits, type Model, ModelError } from './model.ts'

/**
 * Creates the model of a configuration and loads its adapter. `secretValue` is the key that `provider.secret` names.
 * Throws `model.unauthorized` if `provider.secret` names a key without a value. A provider without `secret` gets no
 * key.
 */
export async function createModel(
  provider: Provider,
  model: ModelRecord,
  secretValue: string | undefined,
  /** The part of the time of a call that this model may take, as a fraction. */
  share = 1,
): Promise<Model> {
  const options = {
    ...modelFacts(provider, model),
    timing: { totalMs: timing.totalMs * share },
    baseUrl: provider.baseUrl,
    ...(await mannerOf(provider, model)),
  }
  switch (provider.adapter) {
    case 'anthropic': {
      const { anthropic } = await import('./anthropic.ts')
      const apiVersion = model.apiVersion ?? undefined
      return anthropic({ ...options, key: keyOf(provider, secretValue), apiVersion })
    }
    case 'bedrock': {
      const [{ bedrock }, { cardOf }] = await Promise.all([
        import('./bedrock.ts'),
        import('../stage/settings/cards.ts'),
      ])
      const apiVersion = model.apiVersion ?? cardOf(model.modelId)?.bedrockVersion ?? undefined
      const { region, modelProfiles } = config()
      return bedrock({ ...options, region, apiVersion, askedAs: modelProfiles[model.modelId] })
    }
    case 'demo': {
      const { demo } = await import('./demo/demo.ts')
      return demo({ provider: provider.name, capabilities: options.capabilities, limits: options.limits })
    }
  }
}

/** Returns the facts about a model that do not need its adapter. */
export const modelFacts = (provider: Provider, model: ModelRecord): Omit<Model, 'ask'> => ({
  about: { provider: provider.name, model: model.modelId, isAI: true },
  capabilities: model.capabilities,
  limits: limits(model, provider.adapter),
})

/**
 * Returns the optional request features of the model. A setting turns a feature on or off. Without a setting, requests
 * to the vendor or to Bedrock use the features of the model's card; requests to other addresses use no optional
 * features.
 */
export async function mannerOf(
  { adapter, baseUrl }: Provider,
  { modelId, systemMessages, citations }: ModelRecord,
): Promise<Manner> {
  if (adapter === 'demo') return {}
  const { cardOf } = await import('../stage/settings/cards.ts')
  const card = cardOf(modelId)
  const isVendor =
    adapter === 'anthropic' && (baseUrl === null || new URL(baseUrl).hostname === 'api.anthropic.com')
  const isKnown = card !== undefined && (isVendor || adapter === 'bedrock')
  return {
    // If the server does not accept a feature after all, its first refusal turns the feature off.
    systemMessages: systemMessages ?? (isKnown && card.systemMessages),
    citations: citations ?? (isKnown && card.citations),
    hourCache: isKnown,
  }
}

/** Returns the key for the header. Local servers need no key, but the header must not be empty. */
function keyOf(provider: Provider, value: string | undefined): string {
  if (value) return value
  if (!provider.secret) return 'none'
  throw new ModelError('model.unauthorized', `The secret "${provider.secret}" of the provider is not set`)
}
