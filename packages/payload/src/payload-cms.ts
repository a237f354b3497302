import { APIError, getDependencies, type Payload } from 'payload'
import { ToolError } from '../../../core/base/error.ts'
import type { Cms } from '../../../core/cms/cms.ts'
import { type Operations, portOf } from '../../node/src/port.ts'
import { type Acting, actingAs } from './acting.ts'
import { history } from './history.ts'
import type { AiChatOptions } from './options.ts'
import { make, settle, show } from './put.ts'
import * as Read from './read.ts'
import { typesOf } from './type.ts'
import { actorOf, users, userWith } from './user.ts'

const operations: Operations<Acting> = {
  ...Read,
  history,
  log: async () => [],
  users: async (acting, _, { isAdmin }) => (isAdmin ? users(acting) : []),
  facts: async (acting, _, { isAdmin }) => (isAdmin ? factsOf(acting) : {}),
  put: (acting, asked) =>
    ('dry' in asked ? show(acting, asked) : make(acting, asked)).catch((error) => refuse(acting, error)),
  settle,
}

/** Returns a Payload site as the CMS port for one request of the bridge; the user's rights are computed only once. */
export function payloadCms(payload: Payload, options: AiChatOptions): Cms {
  const site = { payload, options, types: typesOf(payload, options) }
  return portOf(operations, {
    capabilities: async () => ({ ...Read.capabilities(site), version: await installedVersion() }),
    languages: async () => Read.languages(site),
    user: async (id) => {
      const found = await userWith(payload, id)
      return found && { actor: actorOf(found, options), user: actingAs(site, found) }
    },
  })
}

/** Returns the version of the installed Payload, for people; the major version if the package is not found. */
async function installedVersion(): Promise<string> {
  const { resolved } = await getDependencies(process.cwd(), ['payload'])
  return resolved.get('payload')?.version ?? '3'
}

async function factsOf({ payload: { config, db } }: Acting): Promise<Record<string, string | number>> {
  return {
    'Payload version': await installedVersion(),
    'Node version': process.version,
    Database: db.name,
    Collections: config.collections.length,
    Globals: config.globals.length,
  }
}

/** Throws the refusal of a change by Payload or a hook, as a sentence with each refused field. */
function refuse({ payload }: Acting, error: unknown): never {
  if (error instanceof ToolError || !(error instanceof Error)) throw error
  if (!(error instanceof APIError)) {
    // Errors of a database or a network have a code, or a cause with a code. They do not say that the change is wrong.
    if ('code' in error || error.cause !== undefined) throw error
    payload.logger.warn({ err: error, msg: 'A hook refused a change of the chat' })
  }
  const { errors = [] } = Object(error instanceof APIError && error.data) as Refused
  const told = errors.map(({ path, message }) => `${path}: ${message}`)
  throw new ToolError(['Payload refused it.', error.message, ...told].join(' '))
}

type Refused = { errors?: { path?: string; message?: string }[] }
