import type { GateFacts } from '../../core/agent/gate.ts'
import { capabilities } from '../../core/cms/reference/registry.ts'
import { check } from '../../core/stage/settings/check.ts'
import type {
  Configuration,
  ModelRecord,
  Provider,
  Settings,
  Task,
} from '../../core/stage/settings/schema.ts'

/** A provider that lets every tool through, and differs as said. */
export const provider = (over: Partial<Provider> = {}): Provider => ({
  uid: 1,
  name: 'Demo',
  adapter: 'demo',
  baseUrl: null,
  secret: null,
  trustZone: 'restricted',
  requestsPerMinute: null,
  tokensPerMinute: null,
  active: true,
  ...over,
})

export const model = (over: Partial<ModelRecord> = {}): ModelRecord => ({
  uid: 1,
  provider: 1,
  modelId: 'demo',
  capabilities: ['vision', 'tools'],
  contextTokens: 200_000,
  maxOutputTokens: 64_000,
  prices: null,
  pricesAsOf: null,
  apiVersion: null,
  fallback: null,
  ...over,
})

export const configuration = (over: Partial<Configuration> = {}): Configuration => ({
  uid: 1,
  name: 'Website assistant',
  model: 1,
  system_prompt: 'You look after the website.',
  maxTokens: 8_192,
  maxRounds: 20,
  effort: null,
  thinking: null,
  tools: null,
  allowedGroups: [],
  active: true,
  ...over,
})

export const task = (over: Partial<Task> = {}): Task => ({
  uid: 1,
  name: 'Backend chat',
  configuration: 1,
  prompt_template: 'Help the user.',
  active: true,
  ...over,
})

/** Complete settings with one provider, model, configuration and task, and differing as said. */
export function settings(over: Partial<Settings> = {}): Settings {
  const checked = check({
    providers: [provider()],
    models: [model()],
    configurations: [configuration()],
    tasks: [task()],
    ...over,
  })
  if (!checked.settings) throw new Error(`These settings do not hold: ${JSON.stringify(checked.mistakes)}`)
  return checked.settings
}

/** Facts under which the gate lets every tool of the reference CMS through, and that differ as said. */
export const facts = (over: Partial<GateFacts> = {}): GateFacts => ({
  actor: { isAdmin: false, groups: [] },
  rules: { disabled: [], groups: {} },
  drafts: 'off',
  offered: null,
  trustZone: 'restricted',
  // Of a CMS that has what any tool needs.
  capabilities: { ...capabilities(), parts: true },
  modelCalls: true,
  modelSees: true,
  ...over,
})
