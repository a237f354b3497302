import { readFile } from 'node:fs/promises'
import { secretVariable } from '../../core/base/secret-name.ts'
import { factsOf } from '../../core/stage/settings/cards.ts'
import { type Checked, check, type Mistake, merge } from '../../core/stage/settings/check.ts'
import { mistakesIn } from '../../core/stage/settings/meaning.ts'
import type { ModelRecord, Provider, Settings } from '../../core/stage/settings/schema.ts'
import { tools } from '../../core/tool/tools.ts'
import { leastKeyBytes } from '../../core/user/session/exchange.ts'
import { type Connection, connectionFile, settingsOf } from './connection.ts'
import { dataFolder } from './environment.ts'

/** Valid settings, or the file that is not valid with all its mistakes. */
type Loaded =
  | { settings: Settings; mistakes?: never }
  | { file: string; mistakes: Mistake[]; settings?: never }

/**
 * Loads the settings of the local stage: its own file, the provider whose key the environment has, and the settings of
 * its CMS connection. The file that `AI_CHAT_SETTINGS` names comes last. Later values replace earlier ones.
 */
export async function loadSettings(env: NodeJS.ProcessEnv, connection?: Connection): Promise<Loaded> {
  const own = await stageSettings('local', env)
  if (own.mistakes) return own
  const given = withEnvironment(own.settings, env)
  const connected = connection ? merge(given, settingsOf(connection)) : { settings: given }
  if (connected.mistakes) return { file: connectionFile(dataFolder(env)), mistakes: connected.mistakes }
  const base = connected.settings
  const overlay = env.AI_CHAT_SETTINGS
  if (!overlay) return { settings: base }
  return checked(overlay, overlay, (json) => merge(base, json), env)
}

/** Loads the settings of a stage from the repository: merges the stage's own file over `base.json`. */
export async function stageSettings(stage: string, env: NodeJS.ProcessEnv): Promise<Loaded> {
  const base = await readStageFile('base', check, env)
  return base.mistakes ? base : readStageFile(stage, (json) => merge(base.settings, json), env)
}

const readStageFile = (stage: string, verify: (json: unknown) => Checked, env: NodeJS.ProcessEnv) =>
  checked(`infra/stages/${stage}.json`, new URL(`../stages/${stage}.json`, import.meta.url), verify, env)

async function checked(
  file: string,
  at: URL | string,
  verify: (json: unknown) => Checked,
  env: NodeJS.ProcessEnv,
): Promise<Loaded> {
  const wrong = (message: string): Loaded => ({ file, mistakes: [{ path: '(file)', message }] })
  const text = await readFile(at, 'utf8').catch(() => undefined)
  if (text === undefined) return wrong('cannot be read')
  const json = parseSettings(text)
  if (json instanceof SyntaxError) return wrong(`is not JSON: ${json.message}`)
  const result = verify(json)
  if (result.mistakes) return { file, mistakes: result.mistakes }
  const mistakes = [
    ...mistakesIn(result.settings, json as Partial<Settings>, tools),
    ...shortKey(result.settings, env),
  ]
  return mistakes.length > 0 ? { file, mistakes } : result
}

/** Returns a mistake if the exchange key is too short to sign, in the settings or in the environment. */
function shortKey({ exchange }: Settings, env: NodeJS.ProcessEnv): Mistake[] {
  if (!exchange) return []
  const bytes = Buffer.byteLength(env[secretVariable(exchange.key)] ?? exchange.key)
  if (bytes >= leastKeyBytes) return []
  const message = `the key has ${bytes} bytes, or no secret of this name is set; HS256 needs at least ${leastKeyBytes}`
  return [{ path: 'exchange.key', message }]
}

function parseSettings(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    return error
  }
}

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
