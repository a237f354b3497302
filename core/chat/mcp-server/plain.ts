import * as z from 'zod'
import { isRecord } from '../../base/json.ts'
import {
  capabilities,
  instructionsOf,
  promptList,
  resourceList,
  serverInfo,
  templateList,
  toolList,
} from './offers.ts'
import type { Program } from './program.ts'

/**
 * Answers to the requests with which a program begins, in the versions of the protocol before 2026, without its package:
 * that takes longer to load than everything else. What is unusual in any way is left to the package.
 */

/** The versions before 2026 that the package knows, newest first. */
export const olderVersions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05', '2024-10-07']

const lists: Record<string, (program: Program) => object | Promise<object>> = {
  ping: () => ({}),
  'tools/list': toolList,
  'prompts/list': promptList,
  'resources/list': resourceList,
  'resources/templates/list': () => templateList,
}

/** An answer over HTTP; a notification has none. */
export type Plain = { status: number; body?: object }

/** The answer to a plain request; undefined for one that the package has to look at. */
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

/** True for headers in which nothing is said that versions before 2026 do not say. */
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

/** The usual parameters of a program that begins. */
const Initialize = z.strictObject({
  protocolVersion: z.string(),
  capabilities: z.strictObject({}),
  clientInfo: z.looseObject({ name: z.string(), version: z.string() }),
})

function initialized(program: Program, params: Record<string, unknown>): object | undefined {
  const { success, data } = Initialize.safeParse(params)
  if (!success) return undefined
  const { protocolVersion } = data
  const isKnown = olderVersions.includes(protocolVersion)
  return {
    protocolVersion: isKnown ? protocolVersion : olderVersions[0],
    capabilities,
    serverInfo,
    instructions: instructionsOf(program),
  }
}

const isEmpty = (value: object) => Object.keys(value).length === 0
