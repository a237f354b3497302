import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { CollectionConfig, Field, GlobalConfig, PayloadRequest, Plugin } from 'payload'
import { type Pairing, pairingOf } from '../../../core/cms/bridge/pairing.ts'
import { endpoints, endSessions, statementPath } from './endpoint.ts'
import { through } from './history.ts'
import type { AiChatOptions } from './options.ts'
import { collections } from './store.ts'
import { personIn } from './user.ts'

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
        ...endpoints(pairing, previous, options, installedVersion, `${site}${api}`),
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
