import { createHmac } from 'node:crypto'
import { secretName, secretVariable } from '../core/base/secret-name.ts'
import { userKey } from '../core/user/session/user-key.ts'
import { deployment, settings } from './stage.ts'

/**
 * The secret that signs the tokens of the stage; it has at least 32 characters. The marks around untrusted data in
 * prompts are derived from it.
 */
export const stageSecret = new sst.Secret('StageSecret')

/**
 * The names of the secrets in the settings. A deploy asks for each of these secrets that is not set, and for no other.
 */
const named = new Set(
  [
    ...settings.providers.filter(({ active }) => active).map(({ secret }) => secret),
    ...settings.mcpServers.map(({ secret }) => secret),
    settings.exchange?.key,
    deployment.cms ? 'cms' : undefined,
    deployment.canary && !deployment.cms ? 'canary' : undefined,
  ].filter((name) => name != null),
)
const byName = new Map([...named].map((name) => [name, new sst.Secret(secretName(name))]))

const linked = (names: (string | null | undefined)[]) =>
  [...new Set(names)].flatMap((name) => (name ? (byName.get(name) ?? []) : []))

/** Secrets of every function: the secret of the stage, and the key of a connected CMS. */
export const sharedSecrets = [stageSecret, ...linked(['cms'])]

/** The names of the keys of model providers and of servers of tools. */
const modelNames = [...settings.providers, ...settings.mcpServers].map(({ secret }) => secret)

/** The secrets of processes that run turns, by environment variable. */
export const turnSecrets = new Map<string, sst.Secret>([
  ['AI_CHAT_SECRET', stageSecret],
  ...['cms', ...modelNames].flatMap((name): [string, sst.Secret][] => {
    const secret = name ? byName.get(name) : undefined
    return name && secret ? [[secretVariable(name), secret]] : []
  }),
])

/** The keys of model providers and of servers of tools, only for processes that run turns. */
export const modelSecrets = linked(modelNames)

/** Client secrets for authorization servers, only for the function that connects users to tool servers. */
export const clientSecrets = linked(
  settings.mcpServers.flatMap(({ auth, secret }) => (auth === 'oauth' ? [secret] : [])),
)

/** The key that verifies the tokens of a connected CMS, for the function that begins sessions. */
export const exchangeSecrets = linked([settings.exchange?.key])

/**
 * The canary's credential: its password, or a key with which it can log in only as its own user of the connected CMS.
 */
export const canarySecrets = deployment.cms ? keyOfCanary() : linked(['canary'])

function keyOfCanary(): sst.Linkable<{ value: $util.Output<string> }>[] {
  const user = deployment.canary?.user
  const exchange = byName.get(settings.exchange?.key ?? '')
  if (user === undefined || !exchange) return []
  const value = exchange.value.apply((key) => userKey(key, String(user)))
  return [new sst.Linkable(secretName('canary'), { properties: { value } })]
}

/** The secret by which functions recognise the Router. It is derived from the stage's secret and changes with it. */
export const routerSecret = stageSecret.value.apply((secret) =>
  createHmac('sha256', secret).update('router').digest('hex'),
)
