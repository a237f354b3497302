import { localServers, type Mistake, unknownTools } from './check.ts'
import { isAmong } from './group.ts'
import { matches } from './pattern.ts'
import { byUid, type Configuration, type ModelRecord, type Provider, type Settings } from './schema.ts'
import type { McpServer } from './server.ts'

/**
 * Finds settings without effect: each is valid by itself, but together they do not do what their author expects.
 * Reports only members of the checked file, so that an overlay gets no mistakes of the settings below it. These rules
 * are not part of the schema, so that settings of an earlier release stay readable.
 */

/** The members of a tool that the rules need. */
type Known = { name: string; adminOnly: boolean }

/** Messages by the member without effect; false for a member without a mistake. */
type Faults = Record<string, string | false | null | undefined>

/**
 * Returns a mistake for each member of a valid file that has no effect, with its path in the file. `settings` are the
 * merged settings, `given` is the content of the file, `tools` are the tools of the chat.
 */
export function meaningless(
  settings: Settings,
  given: Partial<Settings>,
  tools: readonly Known[],
): Mistake[] {
  const { providers, models, configurations, mcpServers } = settings
  return [
    ...faulty('providers', given.providers, (row) => ofProvider({ ...byUid(providers, row.uid), ...row })),
    ...faulty('models', given.models, (row) => ofModel({ ...byUid(models, row.uid), ...row }, settings)),
    ...faulty('configurations', given.configurations, (row) =>
      ofConfiguration({ ...byUid(configurations, row.uid), ...row }, settings),
    ),
    ...faulty('mcpServers', given.mcpServers, (row) =>
      ofServer({ ...mcpServers.find(({ name }) => name === row.name), ...row }),
    ),
    ...ofMapping(given.groupTaskMapping ?? []),
    ...ofOrigins(given.embedOrigins ?? [], settings),
    ...ofRules(given.tools?.groups ?? {}, tools),
  ]
}

/**
 * Returns every mistake of a valid file that the schema does not see: patterns that match no tool, and members without
 * effect. The parameters are those of `meaningless`.
 */
export const mistakesIn = (
  settings: Settings,
  given: Partial<Settings>,
  tools: readonly Known[],
): Mistake[] => [
  ...unknownTools(
    given,
    tools.map(({ name }) => name),
  ),
  ...meaningless(settings, given, tools),
]

/** Returns every mistake for which a deployed stage refuses valid settings. */
export const mistakesOfDeploy = (settings: Settings, tools: readonly Known[]): Mistake[] => [
  ...mistakesIn(settings, settings, tools),
  ...localServers(settings),
]

/** Returns the mistakes of each row, for the members that the row contains. */
function faulty<R extends object>(list: string, rows: R[] = [], faultsOf: (row: R) => Faults): Mistake[] {
  return rows.flatMap((row, at) =>
    Object.entries(faultsOf(row)).flatMap(([key, message]) =>
      message && Reflect.get(row, key) != null ? [{ path: `${list}.${at}.${key}`, message }] : [],
    ),
  )
}

function ofProvider({ adapter, baseUrl, secret }: Provider): Faults {
  const isOwn = adapter === 'anthropic' && !baseUrl && !secret
  return {
    adapter: isOwn && 'asks Anthropic itself without a baseUrl, which needs the name of a secret',
    secret: adapter !== 'anthropic' && secret && `means nothing: ${adapter} takes no key`,
    baseUrl:
      adapter === 'demo'
        ? baseUrl && 'means nothing: the demo asks no server'
        : baseUrl && wrongAddress(baseUrl, adapter),
  }
}

/**
 * Returns the mistake in the URL of a provider. The message does not repeat the URL, because it may hold a password.
 */
function wrongAddress(baseUrl: string, adapter: Provider['adapter']): string | undefined {
  const { protocol, username, password, search, hash, pathname } = new URL(baseUrl)
  if (!['https:', 'http:'].includes(protocol)) return 'has to begin with https: or http:'
  if (username || password) return 'has to be without user and password: keys are secrets of the stage'
  if (search || hash) return 'has to be without query and fragment'
  if (adapter === 'anthropic' && /\/v1\/?$/.test(pathname)) return 'has to end before /v1, which is added'
  return undefined
}

function ofModel(
  { uid, provider, apiVersion, fallback, prices, pricesAsOf }: ModelRecord,
  settings: Settings,
) {
  const isDemo = byUid(settings.providers, provider)?.adapter === 'demo'
  return {
    apiVersion: isDemo && apiVersion && 'means nothing: the demo has no version',
    fallback: fallback === uid && 'means nothing: it is the model itself',
    prices: prices && [prices, ...(prices.steps ?? [])].some(isBelowNothing) && 'has a price below 0',
    pricesAsOf: !prices && pricesAsOf && 'means nothing without prices',
  }
}

const isBelowNothing = (rates: object) =>
  Object.values(rates).some((price) => typeof price === 'number' && price < 0)

function ofConfiguration({ tools, model: uid }: Configuration, { models }: Settings): Faults {
  const model = byUid(models, uid)
  const isDeaf = model !== undefined && !model.capabilities.includes('tools')
  return { tools: isDeaf && tools?.length ? `means nothing: model ${uid} calls no tools` : false }
}

function ofServer({ transport, url, command, auth, clientId, secret }: McpServer): Faults {
  const isSent = auth === 'shared' || (auth === 'oauth' && clientId !== null)
  return {
    url: transport === 'stdio' && url && 'means nothing for stdio',
    command: transport === 'http' && command && 'means nothing for http',
    secret:
      !isSent &&
      secret &&
      `means nothing while auth is "${auth}"${auth === 'oauth' ? ' without a clientId' : ''}`,
  }
}

function ofMapping(pairs: Settings['groupTaskMapping']): Mistake[] {
  return pairs.flatMap(([group], at) =>
    isAmong(
      pairs.slice(0, at).map(([before]) => before),
      group,
    )
      ? [{ path: `groupTaskMapping.${at}`, message: `means nothing: an earlier pair has the group ${group}` }]
      : [],
  )
}

function ofOrigins(origins: string[], { exchange }: Settings): Mistake[] {
  const foreign = origins.flatMap((origin, at) =>
    /^https?:/.test(origin)
      ? []
      : [{ path: `embedOrigins.${at}`, message: 'means nothing: pages are served over http and https' }],
  )
  if (exchange || origins.length === 0) return foreign
  const message = 'means nothing without exchange: by it alone a page elsewhere gets a session'
  return [...foreign, { path: 'embedOrigins', message }]
}

function ofRules(groups: Settings['tools']['groups'], tools: readonly Known[]): Mistake[] {
  return Object.entries(groups).flatMap(([group, { allow, deny }]) => {
    const path = `tools.groups.${group}`
    if (!allow && !deny?.length) return [{ path, message: 'means nothing: it neither allows nor denies' }]
    return (allow ?? []).flatMap((pattern, at) => {
      const allowed = tools.filter(({ name }) => matches(name, pattern))
      if (allowed.length === 0) return []
      const message = uselessly(allowed, deny ?? [])
      return message ? [{ path: `${path}.allow.${at}`, message }] : []
    })
  })
}

function uselessly(allowed: Known[], deny: string[]): string | undefined {
  if (allowed.every(({ adminOnly }) => adminOnly))
    return 'means nothing: groups do not open what only administrators may use'
  const isDenied = ({ name }: Known) => deny.some((pattern) => matches(name, pattern))
  return allowed.every(isDenied) ? 'means nothing: the same group is denied it, and a deny wins' : undefined
}
