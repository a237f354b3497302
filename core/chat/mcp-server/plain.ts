import * as z from 'zod'
import { isRecord } from '../../base/json.ts'
import * as Offers from './offers.ts'
import type { Program } from './program.ts'

/**
 * Answers the usual first requests of a program in protocol versions before 2026. Does not load the SDK, which takes
 * longer to load than all other code. Leaves unusual requests to the SDK.
 */

/** The versions before 2026 that the SDK supports, newest first. */
export const olderVersions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07']

const lists: Record<string, (program: Program) => object | Promise<object>> = {
  ping: () => ({}),
  'tools/list': Offers.toolList,
  'prompts/list': Offers.promptList,
  'resources/list': Offers.resourceList,
  'resources/templates/list': () => Offers.templateList,
}

/** An HTTP answer; a notification has no body. */
export type Plain = { status: number; body?: object }

/** Returns the answer to a plain request; undefined for a request that the SDK must handle. */
export async function answerPlainly(
  program: Program,
  headers: Record<string, string | undefined>,
  message: Record<string, unknown>,
): Promise<Plain | undefined> {
  const { jsonrpc, id, method, params = {}, ...more } = message
  if (!isPlain(headers) || !isRecord(params) || Object.keys(more).length > 0) return undefined
  if (id === undefined && method === 'notifications/initialized' && isEmpty(params)) return { status: 202 }
  if (typeof id !== 'string' && !Number.isInteger(id)) return undefined
  const result = await plainResult(program, String(method), params)
  return result && { status: 200, body: { result, jsonrpc, id } }
}

/** True if the headers use only what protocol versions before 2026 define. */
function isPlain(headers: Record<string, string | undefined>): boolean {
  const { accept = '', 'mcp-protocol-version': version } = headers
  const isOlder = version === undefined || olderVersions.includes(version)
  const named = Object.keys(headers).filter((name) => name.startsWith('mcp-'))
  const isUsual = named.every((name) => ['mcp-protocol-version', 'mcp-session-id'].includes(name))
  return isOlder && isUsual && accept.includes('application/json') && accept.includes('text/event-stream')
}

async function plainResult(
  program: Program,
  method: string,
  params: Record<string, unknown>,
): Promise<object | undefined> {
  if (method === 'initialize') return initialized(program, params)
  const answer = Object.hasOwn(lists, method) && isEmpty(params) ? lists[method] : undefined
  return answer?.(program)
}

/** The usual parameters of `initialize`. */
const Initialize = z.lazy(() =>
  z.strictObject({
    protocolVersion: z.string(),
    capabilities: z.strictObject({}),
    clientInfo: z.looseObject({ name: z.string(), version: z.string() }),
  }),
)

function initialized(program: Program, params: Record<string, unknown>): object | undefined {
  const { success, data } = Initialize.safeParse(params)
  if (!success) return undefined
  const { protocolVersion } = data
  const isKnown = olderVersions.includes(protocolVersion)
  return {
    protocolVersion: isKnown ? protocolVersion : olderVersions[0],
    capabilities: Offers.capabilities,
    serverInfo: Offers.serverInfo,
    instructions: Offers.instructionsOf(program),
  }
}

const isEmpty = (value: object) => Object.keys(value).length === 0
