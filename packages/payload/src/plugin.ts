import type {
  CollectionConfig,
  Config,
  Endpoint,
  Field,
  GlobalConfig,
  PayloadRequest,
  Plugin,
  TypedUser,
} from 'payload'
import { answerStage, endSessions, type Line, lineOf, statement } from '../../node/src/line.ts'
import { through } from './history.ts'
import type { AiChatOptions } from './options.ts'
import { payloadCms } from './payload-cms.ts'
import { collections, spend } from './store.ts'
import { personIn, userWith } from './user.ts'

/**
 * Brings the AI chat into Payload: the bridge for the stage, the panel in the admin panel, and the name of the person in
 * every version. Without a code it adds its collections and fields alone, so that the database stays the same.
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
    // The sender chooses the address of a request, so that a signature could not be bound to it.
    if (!site)
      throw new Error(
        'aiChat needs serverURL, or its option url: the origin at which the stage reaches the site.',
      )
    const login = config.admin?.user ?? config.collections?.find(({ auth }) => auth)?.slug ?? 'users'
    return {
      ...prepared,
      collections: prepared.collections.map((it) => (it.slug === login ? withLogout(it, line) : it)),
      endpoints: [...(config.endpoints ?? []), ...endpoints(line, options)],
      admin: withPanel(config, line, options),
    }
  }
}

const apiOf = ({ routes }: Config): string => routes?.api ?? '/api'

/** The admin panel with the button of the chat, and with what forgets it at the login. */
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
function withLogout(config: CollectionConfig, line: Line): CollectionConfig {
  const end = async ({ req }: { req: PayloadRequest }) => {
    if (req.user) await endSessions(line, subjectOf(req.user))
  }
  return { ...config, hooks: { ...config.hooks, afterLogout: [...(config.hooks?.afterLogout ?? []), end] } }
}

/** The path at which a page of the admin panel gets statements, below the address of Payload's API. */
const statementPath = '/ai-chat/statement'

/** The endpoints of the plugin: the bridge for the stage, and statements for the pages of the admin panel. */
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

/** The user in a statement, with their session of Payload. */
const subjectOf = (user: TypedUser) => ({ id: user.id, session: (user as { _sid?: string })._sid })
