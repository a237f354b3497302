import { afterEach, expect, test } from 'vitest'
import * as Table from '../../../../core/base/aws/table.ts'
import { config } from '../../../../core/base/config.ts'
import { VisibleError } from '../../../../core/base/error.ts'
import type { CreatedTokenAnswer } from '../../../../core/user/access-token/schema.ts'
import { bench, benched, editor } from '../../../support/benched.ts'
import { fetchOf, program, type Speech } from '../../../support/program.ts'

/** What a request of a program that is refused, or that fails, leaves in the log and answers. */

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

async function tokenOf(): Promise<string> {
  const body = { name: 'Laptop', days: 30 }
  return (await editor.ask<CreatedTokenAnswer>('/ai-chat/access-tokens/create', { body })).body.token
}

/** The lines of the log from now on. */
function logged(): string[] {
  const lines: string[] = []
  process.stderr.write = (text) => lines.push(String(text)) > 0
  return lines
}

test('a refused request is one line, without a word of the program', async () => {
  const token = await tokenOf()
  const lines = logged()

  const params = { name: 'get_record', arguments: {}, _meta }
  const answer = await fetchOf(bench.handler)(`${config().origin}/ai-chat/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
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

const reason =
  'User: arn:aws:sts::123456789012:assumed-role/chat is not authorized to perform: dynamodb:PutItem'

type Sent = (args: { input: object }) => Promise<unknown>

/** Lets the table refuse each write of the audit with an error, until the function it returns is called. */
function refuseAudit(error: Error): () => void {
  const { middlewareStack } = Table.documents()
  const refuse = (next: Sent) => async (args: { input: object }) => {
    if ('Item' in args.input && JSON.stringify(args.input).includes('"pk":"audit')) throw error
    return next(args)
  }
  middlewareStack.add(refuse as never, { step: 'initialize', name: 'refuse' })
  return () => middlewareStack.remove('refuse')
}

test.each<[Speech, string, Error, RegExp, string[]]>([
  ['newest', 'any other', new Error(reason), /internal.error/, ['A request failed unexpectedly']],
  ['older', 'any other', new Error(reason), /internal.error/, ['A request failed unexpectedly']],
  ['newest', 'a visible', new VisibleError('service.unavailable'), /The service does not answer/, []],
  ['older', 'a visible', new VisibleError('service.unavailable'), /The service does not answer/, []],
])('in the %s version, %s failure reaches no program word for word', async (speech, _, error, said, kept) => {
  const client = await program(bench.handler, await tokenOf(), speech)
  const lines = logged()
  const accept = refuseAudit(error)

  const call = client.callTool({ name: 'get_record', arguments: { table: 'content', uid: 1 } })
  const failure = await call.catch(String).finally(accept)

  expect(failure).toMatch(said)
  expect(failure).not.toContain('arn:aws')
  expect(lines.map((line) => JSON.parse(line).message)).toEqual(kept)
})
