import {
  APIError,
  type CollectionConfig,
  type Config,
  type Endpoint,
  type Field,
  type GlobalConfig,
  type PayloadRequest,
  type Plugin,
  type TypedUser,
} from 'payload'
import { answerStage, endSessions, type Line, lineOf, statement } from '../../node/src/line.ts'
import { through } from './history.ts'
import type { AiChatOptions } from './options.ts'
import { payloadCms } from './payload-cms.ts'
import { collections, spend, writes } from './store.ts'
import { personIn, userWith } from './user.ts'

/**
 * Adds the AI chat to Payload: the bridge for the stage, the panel in the admin panel, and the name of the person in
 * every version. Without a code it adds only its collections and fields, so that the database schema stays the same.
 */
export function aiChat(options: AiChatOptions): Plugin {
  return (config) => {
    const { code, previousCode, url: site = config.serverURL } = options
    const prepared = {
      ...config,
      collections: [...(config.collections ?? []).map((it) => withNames(it, options)), ...collections],
      globals: (config.globals ?? []).map((it) => withNames(it, options)),
    }
    if (!code) return prepared
    const line = lineOf(code, previousCode, `${site}${apiOf(config)}`)
    // A request's own address is under the sender's control, so a signature needs this fixed address.
    if (!site)
      throw new Error(
        'aiChat needs serverURL, or its option url: the origin at which the stage reaches the site.',
      )
    const login = config.admin?.user ?? config.collections?.find(({ auth }) => auth)?.slug ?? 'users'
    return {
      ...prepared,
      collections: prepared.collections.map((it) => withHold(it.slug === login ? withLogout(it, line) : it)),
      globals: prepared.globals.map(withHold),
      endpoints: [...(config.endpoints ?? []), ...endpoints(line, options)],
      admin: withPanel(config, line, options),
    }
  }
}

const apiOf = ({ routes }: Config): string => routes?.api ?? '/api'

/** Returns the admin panel with the chat's button, and the component that deletes the chat's data on the login page. */
function withPanel(
  config: Config,
  line: Line,
  { pages = 'pages' }: AiChatOptions,
): NonNullable<Config['admin']> {
  const { components } = config.admin ?? {}
  const button = {
    path: 'backend-ai-chat-payload/panel#AiChatButton',
    clientProps: {
      origin: line.pairings[0].origin,
      session: `${config.serverURL ?? ''}${apiOf(config)}${statementPath}`,
      admin: config.routes?.admin ?? '/admin',
      pages: pages === false ? '' : pages,
    },
  }
  return {
    ...config.admin,
    components: {
      ...components,
      actions: [...(components?.actions ?? []), button],
      beforeLogin: [...(components?.beforeLogin ?? []), 'backend-ai-chat-payload/panel#AiChatForget'],
    },
  }
}

/**
 * If the type has versions, adds fields for the author of each version: the person and the chat's turn. The person's
 * name gets "through the assistant" if the chat made the change.
 */
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

const stale =
  'The assistant has changed this since you opened it. Nothing was saved. Reload the page to see the change.'

/** Refuses a form that was opened before a change of the chat: it would put the old values back. */
function withHold<Config extends CollectionConfig | GlobalConfig>(config: Config): Config {
  const hold = async ({ req }: { req: PayloadRequest }) => {
    const { collection, global, id } = req.routeParams ?? {}
    // A form sends the time at which its record was stored last.
    const seen = req.data?.updatedAt
    if ((collection ?? global) !== config.slug || typeof seen !== 'string') return
    const table = global ? `global.${global}` : collection
    const where = {
      table: { equals: table },
      record: { equals: String(global ? 1 : id) },
      createdAt: { greater_than: seen },
    }
    const { totalDocs } = await req.payload.count({ collection: writes, where, req })
    if (totalDocs > 0) throw new APIError(stale, 409, null, true)
  }
  return {
    ...config,
    hooks: { ...config.hooks, beforeChange: [hold, ...(config.hooks?.beforeChange ?? [])] },
  }
}

/** Ends the chat sessions when a user logs out of Payload. */
function withLogout(config: CollectionConfig, line: Line): CollectionConfig {
  const end = async ({ req }: { req: PayloadRequest }) => {
    if (req.user) await endSessions(line, subjectOf(req.user))
  }
  return { ...config, hooks: { ...config.hooks, afterLogout: [...(config.hooks?.afterLogout ?? []), end] } }
}

/** The path of the statements for the admin panel, relative to Payload's API. */
const statementPath = '/ai-chat/statement'

/** Returns the endpoints of the plugin: the bridge for the stage, and statements for the pages of the admin panel. */
function endpoints(line: Line, options: AiChatOptions): Endpoint[] {
  return [
    {
      path: '/aic/v2/:operation',
      method: 'post',
      handler: async (req) => {
        const { payload, routeParams, headers } = req
        const body = (await req.text?.()) ?? ''
        return answerStage(
          payloadCms(payload, options),
          line,
          (nonce, until) => spend(payload, nonce, until),
          { operation: String(routeParams?.operation), headers: Object.fromEntries(headers), body },
        )
      },
    },
    {
      path: statementPath,
      method: 'post',
      handler: async ({ user, payload }) => {
        const headers = { 'cache-control': 'no-store' }
        const known = user?.collection === payload.config.admin.user && (await userWith(payload, user.id))
        if (!user || !known) return Response.json({}, { status: 401, headers })
        return Response.json({ token: statement(line, subjectOf(user)) }, { headers })
      },
    },
  ]
}

/** Returns the user for a statement, with the user's session in Payload. */
const subjectOf = (user: TypedUser) => ({ id: user.id, session: (user as { _sid?: string })._sid })
