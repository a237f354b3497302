import { readFileSync } from 'node:fs'
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import * as z from 'zod'
import { secretVariable } from '../../core/base/secret-name.ts'
import type { Line } from '../../core/cms/bridge/line.ts'
import { audience, type Pairing, pairingOf } from '../../core/cms/bridge/pairing.ts'
import type { Overlay } from '../../core/stage/settings/schema.ts'
import { StageError, shown } from './damage.ts'

/**
 * The connection of the local stage to a CMS, which `npm run connect` writes. The file is secret, because it contains
 * the pairing code.
 */
export const Connection = z.strictObject({
  /** Base address of the bridge. */
  url: z.url(),
  code: z.string(),
  /** Groups of the CMS that may use the chat, in addition to its administrators. */
  groups: z.array(z.union([z.int(), z.string().min(1)])),
})
export type Connection = z.infer<typeof Connection>

/** Returns the file with the connection of the stage; only its owner can read it. */
export const connectionFile = (folder: string) => join(folder, 'connection.json')

/**
 * Returns the connection that is stored in the folder of a stage; undefined if there is none. Throws StageError if the
 * file is damaged.
 */
export function readConnection(folder: string): Connection | undefined {
  const file = connectionFile(folder)
  try {
    const connection = Connection.parse(JSON.parse(readFileSync(file, 'utf8')))
    if (pairingOf(connection.code)) return connection
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined
  }
  throw new StageError(`${shown(file)} holds no connection. Delete it, then run npm run connect again.`)
}

/** Stores a connection in the folder of a stage, and replaces an earlier connection. */
export async function keepConnection(folder: string, connection: Connection): Promise<void> {
  const file = connectionFile(folder)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  // `writeFile` applies the mode only to a new file.
  await rm(file, { force: true })
  await writeFile(file, `${JSON.stringify(connection, null, 2)}\n`, { mode: 0o600 })
}

/** Returns the parts of the pairing code of a connection. */
export function pairingIn({ code }: Connection): Pairing {
  const pairing = pairingOf(code)
  if (!pairing) throw new StageError('The code of the connection is no pairing code.')
  return pairing
}

/** Returns the address and the key for calls to the connected CMS. */
export function lineOf(connection: Connection): Line {
  const { keyId, bridgeKey } = pairingIn(connection)
  return { url: connection.url, keyId, secret: bridgeKey }
}

/**
 * Returns a sentence for administrators if the pairing code names another port than `origin`; undefined if the ports
 * agree. A stored pairing code is always for this machine.
 */
export function otherPort(connection: Connection, origin: string): string | undefined {
  const meant = pairingIn(connection).origin
  const [wanted, port] = [new URL(meant).port, new URL(origin).port]
  if (wanted === port) return undefined
  return `The code is for a stage at ${meant}, and this one is at ${origin}: the pages of the CMS look for the chat at the former, and tell it of logouts. Start the stage with PORT=${wanted}, or pair again: PORT=${port} npm run connect -- ${connection.url}`
}

/** Name of the secret that verifies the statements of the CMS. */
export const exchangeSecret = 'exchange'

/** Returns the settings that a connection adds to the settings of the stage. */
export function settingsOf({ url, groups, ...rest }: Connection): z.infer<typeof Overlay> {
  const { keyId } = pairingIn({ url, groups, ...rest })
  return {
    embedOrigins: [new URL(url).origin],
    exchange: { issuer: keyId, audience, key: exchangeSecret },
    ...(groups.length > 0 && { allowedGroups: groups }),
  }
}

/**
 * Returns the environment variables of a connection, for functions and commands: the address of the CMS, the id of its
 * key, and its two secrets.
 */
export function variablesOf(connection: Connection): Record<string, string> {
  const { keyId, bridgeKey, exchangeKey } = pairingIn(connection)
  return {
    AI_CHAT_CMS_URL: connection.url,
    AI_CHAT_CMS_KEY: keyId,
    [secretVariable('cms')]: bridgeKey,
    [secretVariable(exchangeSecret)]: exchangeKey,
  }
}

/**
 * Adds the connection that is stored in this folder to the environment, and returns it. Adds nothing if the environment
 * already names a CMS.
 */
export function joinConnection(folder: string, env: NodeJS.ProcessEnv = process.env): Connection | undefined {
  if (env.AI_CHAT_CMS_URL) return undefined
  const connection = readConnection(folder)
  if (connection) Object.assign(env, variablesOf(connection))
  return connection
}
