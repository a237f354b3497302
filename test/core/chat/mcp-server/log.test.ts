import { afterEach, expect, test } from 'vitest'
import { config } from '../../../../core/base/config.ts'
import type { CreatedTokenAnswer } from '../../../../core/user/access-token/schema.ts'
import { bench, benched, editor } from '../../../support/benched.ts'
import { fetchOf } from '../../../support/program.ts'

/** What a request of a program that the protocol refuses leaves in the log. */

process.env.POWERTOOLS_LOG_LEVEL = 'WARN'
benched({ accessTokens: { trustZone: 'internal' } })

const { write } = process.stderr
afterEach(() => {
  process.stderr.write = write
})

const version = '2026-07-28'
const about = 'io.modelcontextprotocol'
const _meta = {
  [`${about}/protocolVersion`]: version,
  [`${about}/clientInfo`]: { name: 'another assistant', version: '1.0.0' },
  [`${about}/clientCapabilities`]: {},
}

test('a refused request is one line, without a word of the program', async () => {
  const body = { name: 'Laptop', days: 30 }
  const made = await editor.ask<CreatedTokenAnswer>('/ai-chat/access-tokens/create', { body })
  const lines: string[] = []
  process.stderr.write = (text) => lines.push(String(text)) > 0

  const params = { name: 'get_record', arguments: {}, _meta }
  const answer = await fetchOf(bench.handler)(`${config().origin}/ai-chat/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${made.body.token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': version,
      'mcp-method': 'tools/call',
      'mcp-name': 'Nightjar',
    },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params }),
  })

  expect([answer.status, await answer.text()]).toEqual([400, expect.stringContaining('Nightjar')])
  expect(lines.map((line) => JSON.parse(line).message)).toEqual(['A request over MCP was refused'])
  expect(lines.join()).not.toContain('Nightjar')
})
