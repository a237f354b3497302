import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server'
import { expect, test } from 'vitest'
import type { At } from '../../../../core/chat/mcp-server/call.ts'
import { answerPlainly, olderVersions } from '../../../../core/chat/mcp-server/plain.ts'
import { ownerOf, programOf } from '../../../../core/chat/mcp-server/program.ts'
import { serve } from '../../../../core/chat/mcp-server/serve.ts'
import { load } from '../../../../core/stage/settings/settings.ts'
import * as Token from '../../../../core/user/access-token/token.ts'
import { bench, benched } from '../../../support/benched.ts'

/** What is answered without the package of the protocol is what the package would answer. */

benched({ accessTokens: { trustZone: 'internal' } })

const usual = { accept: 'application/json, text/event-stream', 'content-type': 'application/json' }
const asked = (method: string, params?: object) => ({
  jsonrpc: '2.0',
  id: 7,
  method,
  ...(params && { params }),
})
const hello = { capabilities: {}, clientInfo: { name: 'a program', version: '1.0.0' } }

async function both(message: Record<string, unknown>, headers: Record<string, string> = {}) {
  const now = bench.clock.now()
  const { token } = await Token.create({ uid: 2 }, { name: 'Laptop', days: 7 }, now)
  const settings = await load(now)
  const owner = await ownerOf(bench.live, token, now)
  const program = await programOf(bench.live, owner, settings)
  await Token.revoke({ uid: 2 }, owner.token.id)
  const all = { ...usual, ...headers }
  const plain = await answerPlainly(program, all, message)
  const request = new Request('http://127.0.0.1/ai-chat/mcp', { method: 'POST', headers: all, body: '{}' })
  const at: At = {
    cms: bench.live.cms,
    now,
    ip: '',
    signal: new AbortController().signal,
    hasTime: () => true,
  }
  const response = await serve(program, request, message, at)
  const text = await response.text()
  return { plain, whole: { status: response.status, ...(text && { body: JSON.parse(text) }) } }
}

test('every version before 2026 that the package knows is known, newest first', () => {
  expect(olderVersions).toEqual(SUPPORTED_PROTOCOL_VERSIONS.filter((version) => version < '2026'))
})

test.each<[string, Record<string, unknown>, Record<string, string>?]>([
  ['a ping', asked('ping')],
  ['a list of tools', asked('tools/list')],
  [
    'a list of tools with empty parameters',
    asked('tools/list', {}),
    { 'mcp-protocol-version': '2025-06-18' },
  ],
  ['a list of prompts', asked('prompts/list')],
  ['a list of resources', asked('resources/list')],
  ['a list of templates', asked('resources/templates/list')],
  ['an id that is a text', { ...asked('ping'), id: 'seven' }],
  ['the news that it is initialized', { jsonrpc: '2.0', method: 'notifications/initialized' }],
  ...olderVersions.map((protocolVersion): [string, Record<string, unknown>] => [
    `an initialization in version ${protocolVersion}`,
    asked('initialize', { protocolVersion, ...hello }),
  ]),
  [
    'an initialization in a version of its own',
    asked('initialize', { protocolVersion: '1999-01-01', ...hello }),
  ],
])('%s is answered as the package answers it', async (_, message, headers) => {
  const { plain, whole } = await both(message, headers)
  expect(plain).toEqual(whole)
})

test.each<[string, Record<string, unknown>, Record<string, string>?]>([
  ['a call', asked('tools/call', { name: 'get_page_tree' })],
  ['a list from a place on', asked('tools/list', { cursor: 'a' })],
  ['metadata of a request', asked('ping', { _meta: { progressToken: 1 } })],
  ['a method of no object', asked('toString')],
  ['an unknown method', asked('surprise')],
  ['a version that is not known', asked('ping'), { 'mcp-protocol-version': '1999-01-01' }],
  [
    'a version of 2026',
    asked('tools/list'),
    { 'mcp-protocol-version': '2026-07-28', 'mcp-method': 'tools/list' },
  ],
  ['a program that takes no JSON', asked('ping'), { accept: 'text/event-stream' }],
  [
    'an initialization without a name',
    asked('initialize', { protocolVersion: '2025-06-18', capabilities: {} }),
  ],
  ['no id and no notification', { jsonrpc: '2.0', method: 'ping' }],
  ['an id that is a fraction', { ...asked('ping'), id: 1.5 }],
  ['more than the protocol has', { ...asked('ping'), surprise: 1 }],
])('%s is left to the package', async (_, message, headers) => {
  expect((await both(message, headers)).plain).toBeUndefined()
})
