import { factsOf } from './cards.ts'
import type { ModelRecord, Provider, Settings } from './schema.ts'

/** Uid of the provider, model, configuration and task in the initial settings of every stage. */
const seeded = 1

const defaultModel = 'claude-sonnet-5-5'

/**
 * Switches the seeded provider and model to the Messages API if the environment has a key for it; otherwise returns
 * the settings unchanged. Reads ANTHROPIC_BASE_URL and ANTHROPIC_MODEL. Only the key's name goes into the settings:
 * its value stays in AI_CHAT_SECRET_ANTHROPIC.
 */
export function withEnvironment(settings: Settings, env: Record<string, string | undefined>): Settings {
  if (!env.ANTHROPIC_API_KEY) return settings
  const provider: Partial<Provider> = {
    name: 'Anthropic',
    adapter: 'anthropic',
    baseUrl: env.ANTHROPIC_BASE_URL || null,
    secret: 'anthropic',
  }
  const modelId = env.ANTHROPIC_MODEL || defaultModel
  const model: Partial<ModelRecord> = {
    modelId,
    capabilities: ['vision', 'pdf', 'tools'],
    ...factsOf(modelId),
  }
  return {
    ...settings,
    providers: settings.providers.map((row) => (row.uid === seeded ? { ...row, ...provider } : row)),
    models: settings.models.map((row) => (row.uid === seeded ? { ...row, ...model } : row)),
  }
}
