import { readFile } from 'node:fs/promises'
import { leastKeyBytes } from '../../core/session/exchange.ts'
import { type Checked, check, type Mistake, merge, unknownTools } from '../../core/settings/check.ts'
import { withEnvironment } from '../../core/settings/environment.ts'
import { meaningless } from '../../core/settings/meaning.ts'
import type { Settings } from '../../core/settings/schema.ts'
import { secretVariable } from '../../core/stage/secret-name.ts'
import { tools } from '../../core/tool/tools.ts'
import { type Connection, connectionFile, settingsOf } from './connection.ts'
import { dataFolder } from './environment.ts'

/** Settings that hold, or the file that does not and every mistake of it. */
export type Loaded =
  | { settings: Settings; mistakes?: never }
  | { file: string; mistakes: Mistake[]; settings?: never }

const ownFile = new URL('../stages/local.json', import.meta.url)

/**
 * The settings of the local stage: its own file, the provider that the environment has a key for, what its connection to
 * a CMS elsewhere wants, and over them the file that `AI_CHAT_SETTINGS` names.
 */
export async function loadSettings(env: NodeJS.ProcessEnv, connection?: Connection): Promise<Loaded> {
  const own = await checked('infra/stages/local.json', ownFile, check, env)
  if (own.mistakes) return own
  const given = withEnvironment(own.settings, env)
  const connected = connection ? merge(given, settingsOf(connection)) : { settings: given }
  if (connected.mistakes) return { file: connectionFile(dataFolder(env)), mistakes: connected.mistakes }
  const base = connected.settings
  const overlay = env.AI_CHAT_SETTINGS
  if (!overlay) return { settings: base }
  return checked(overlay, overlay, (json) => merge(base, json), env)
}

/** The settings of another stage, as its file in infra/stages has them. */
export async function stageSettings(stage: string, env: NodeJS.ProcessEnv): Promise<Loaded> {
  const file = `infra/stages/${stage}.json`
  return checked(file, new URL(`../stages/${stage}.json`, import.meta.url), check, env)
}

async function checked(
  file: string,
  at: URL | string,
  verify: (json: unknown) => Checked,
  env: NodeJS.ProcessEnv,
): Promise<Loaded> {
  const wrong = (message: string): Loaded => ({ file, mistakes: [{ path: '(file)', message }] })
  const text = await readFile(at, 'utf8').catch(() => undefined)
  if (text === undefined) return wrong('cannot be read')
  const json = parsed(text)
  if (json instanceof SyntaxError) return wrong(`is not JSON: ${json.message}`)
  const result = verify(json)
  if (result.mistakes) return { file, mistakes: result.mistakes }
  const mistakes = [
    ...unknownTools(
      json as Partial<Settings>,
      tools.map(({ name }) => name),
    ),
    ...meaningless(result.settings, json as Partial<Settings>, tools),
    ...shortKey(result.settings, env),
  ]
  return mistakes.length > 0 ? { file, mistakes } : result
}

/** An exchange key that is too short to sign with, whether the settings hold it or name it. */
function shortKey({ exchange }: Settings, env: NodeJS.ProcessEnv): Mistake[] {
  if (!exchange) return []
  const bytes = Buffer.byteLength(env[secretVariable(exchange.key)] ?? exchange.key)
  if (bytes >= leastKeyBytes) return []
  const message = `the key has ${bytes} bytes, or no secret of this name is set; HS256 needs at least ${leastKeyBytes}`
  return [{ path: 'exchange.key', message }]
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    return error
  }
}
