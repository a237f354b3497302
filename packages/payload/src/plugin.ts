import { createHash, randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import {
  type CollectionConfig,
  type Endpoint,
  type Field,
  type GlobalConfig,
  jwtSign,
  type PayloadRequest,
  type Plugin,
  type TypedUser,
} from 'payload'
import { audience, type Pairing, pairingOf } from '../../../core/cms/bridge/pairing.ts'
import { answer } from '../../../core/cms/bridge/server.ts'
import { through } from './history.ts'
import type { AiChatOptions } from './options.ts'
import { payloadCms } from './payload-cms.ts'
import { collections, spend } from './store.ts'
import { personIn, userWith } from './user.ts'

/** The version of Payload that the site has installed, for people; the major version if it is installed elsewhere. */
const installedVersion = versionBelow(process.cwd())

function versionBelow(folder: string): string {
  const file = join(folder, 'node_modules/payload/package.json')
  if (existsSync(file)) return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
  const above = dirname(folder)
  return above === folder ? '3' : versionBelow(above)
}

/**
 * Brings the AI chat into Payload: the bridge for the stage, the panel in the admin panel, and the name of the person in
 * every version. Without a code it adds its collections and fields alone, so that the database stays the same.
 */
export function aiChat(options: AiChatOptions): Plugin {
  return (config) => {
    const { code, previousCode } = options
    const pairing = code ? pairingOf(code) : undefined
    if (code && !pairing) throw new Error('The code of aiChat is no pairing code.')
    const previous = previousCode ? pairingOf(previousCode) : undefined
    const login = config.admin?.user ?? config.collections?.find(({ auth }) => auth)?.slug ?? 'users'
    const named = (config.collections ?? []).map((it) => withNames(it, options))
    const prepared = {
      ...config,
      collections: [
        ...named.map((it) => (it.slug === login && pairing ? withLogout(it, pairing) : it)),
        ...collections,
      ],
      globals: (config.globals ?? []).map((it) => withNames(it, options)),
    }
    if (!pairing) return prepared
    const site = options.url ?? config.serverURL
    // The sender chooses the address of a request, so that a signature could not be bound to it.
    if (!site)
      throw new Error(
        'aiChat needs serverURL, or its option url: the origin at which the stage reaches the site.',
      )
    const api = config.routes?.api ?? '/api'
    const pages = options.pages ?? 'pages'
    const { components } = config.admin ?? {}
    const panel = {
      path: 'backend-ai-chat-payload/panel#AiChatButton',
      clientProps: {
        origin: pairing.origin,
        session: `${config.serverURL ?? ''}${api}${statementPath}`,
        admin: config.routes?.admin ?? '/admin',
        pages: pages === false ? '' : pages,
      },
    }
    return {
      ...prepared,
      endpoints: [
        ...(config.endpoints ?? []),
        ...endpoints(previous ? [pairing, previous] : [pairing], options, `${site}${api}`),
      ],
      admin: {
        ...config.admin,
        components: {
          ...components,
          actions: [...(components?.actions ?? []), panel],
          beforeLogin: [...(components?.beforeLogin ?? []), 'backend-ai-chat-payload/panel#AiChatForget'],
        },
      },
    }
  }
}

/** The type with its author in each version, if it has versions: a person by hand, or a person through the assistant, with the turn of the chat. */
function withNames<Config extends CollectionConfig | GlobalConfig>(
  config: Config,
  options: AiChatOptions,
): Config {
  if (!config.versions) return config
  const fields: Field[] = [
    {
      name: 'changedBy',
      type: 'text',
      label: { en: 'Changed by', de: 'Geändert von', fr: 'Modifié par' },
      admin: { readOnly: true, position: 'sidebar', disableBulkEdit: true },
      access: {
        create: () => false,
        update: () => false,
        read: ({ req }) => req.user?.collection === req.payload.config.admin.user,
      },
    },
    { name: 'changedIn', type: 'text', hidden: true },
  ]
  const name = ({ data, req }: { data: Record<string, unknown>; req: PayloadRequest }) => {
    const run = req.context.aiChatRun
    const person = req.user ? personIn(req.user, options).name : ''
    const isThrough = typeof run === 'string'
    return { ...data, changedBy: person + (isThrough ? through : ''), changedIn: isThrough ? run : null }
  }
  return {
    ...config,
    fields: [...config.fields, ...fields],
    hooks: { ...config.hooks, beforeChange: [...(config.hooks?.beforeChange ?? []), name] },
  }
}

/** Logging out of Payload ends the sessions in the chat, too. */
function withLogout(config: CollectionConfig, pairing: Pairing): CollectionConfig {
  const end = async ({ req }: { req: PayloadRequest }) => {
    if (req.user) await endSessions(pairing, req.user)
  }
  return { ...config, hooks: { ...config.hooks, afterLogout: [...(config.hooks?.afterLogout ?? []), end] } }
}

/** How long a statement is valid, in seconds. */
const statementSeconds = 50
/** How long the site waits for the stage when a user logs out, in milliseconds. */
const patienceMs = 3_000
/** The path at which a page of the admin panel gets statements, below the address of Payload's API. */
const statementPath = '/ai-chat/statement'

/**
 * The endpoints of the plugin: the bridge for the stage, which signs for the address `base`, and statements for the pages of
 * the admin panel.
 */
function endpoints(pairings: [Pairing, ...Pairing[]], options: AiChatOptions, base: string): Endpoint[] {
  const keys = new Map(pairings.map(({ keyId, bridgeKey }) => [keyId, bridgeKey]))
  return [
    {
      path: '/aic/v2/:operation',
      method: 'post',
      handler: async (req) => {
        const { payload } = req
        const operation = String(req.routeParams?.operation)
        const [headers, asked] = [Object.fromEntries(req.headers), (await req.text?.()) ?? '']
        const { status, body } = await answer(
          payloadCms(payload, options, installedVersion),
          { base, keys, spend: (nonce, until) => spend(payload, nonce, until), now: Date.now },
          { operation, headers, body: asked },
        )
        return new Response(body, { status, headers: { 'content-type': 'application/json' } })
      },
    },
    {
      path: statementPath,
      method: 'post',
      handler: async ({ user, payload }) => {
        const headers = { 'cache-control': 'no-store' }
        const known = user?.collection === payload.config.admin.user && (await userWith(payload, user.id))
        if (!user || !known) return Response.json({}, { status: 401, headers })
        return Response.json({ token: await statement(pairings[0], user) }, { headers })
      },
    },
  ]
}

/** Ends the sessions in the chat that belong to the session of Payload that ends here. */
async function endSessions(pairing: Pairing, user: TypedUser): Promise<void> {
  const token = await statement(pairing, user, { use: 'end' })
  // A stage that cannot be reached ends its session by itself within minutes; the logout does not wait for it.
  await fetch(`${pairing.origin}/backend/exchange/end`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
    signal: AbortSignal.timeout(patienceMs),
  }).catch(() => undefined)
}

/** A statement about a user, signed with the exchange key. */
async function statement({ keyId, exchangeKey }: Pairing, user: TypedUser, more = {}): Promise<string> {
  const { _sid: session } = user as { _sid?: string }
  const sid = session === undefined ? {} : { sid: createHash('sha256').update(session).digest('hex') }
  const claims = { iss: keyId, aud: audience, sub: String(user.id), jti: randomUUID(), ...sid, ...more }
  const signing = { fieldsToSign: claims, secret: exchangeKey, tokenExpiration: statementSeconds }
  return (await jwtSign(signing)).token
}
