import { describe, expect, test } from 'vitest'
import * as z from 'zod'
import { limited, maxCalls, planAll } from '../../../core/agent/plan.ts'
import { capabilities } from '../../../core/cms/reference/registry.ts'
import { singleId, type ToolCall } from '../../../core/conversation/transcript/schema.ts'
import type { CallTool } from '../../../core/tool/tool.ts'
import { maxBatch } from '../../../core/tool/write/fields.ts'
import { seededCms } from '../../support/cms.ts'
import { facts } from '../../support/settings.ts'

const now = Date.parse('2026-05-01T12:00:00Z')
const { cms, admin } = await seededCms(now)

const call = (id: string, name = 'get_record', args: Record<string, unknown> = {}): ToolCall => ({
  id,
  name,
  arguments: args,
})
const batch = (id: string, length: number) =>
  Array.from({ length }, (_, at) => call(singleId(id, at), 'update_records'))
const ids = (calls: ToolCall[]) => calls.map(({ id }) => id)

describe('of the calls of a reply', () => {
  test('those beyond the limit of calls are not served', () => {
    const calls = Array.from({ length: maxCalls + 1 }, (_, at) => call(`c${at}`))

    expect(ids(limited(calls).over)).toEqual([`c${maxCalls}`])
  })

  test('a whole batch is served beside single calls, and a second long one is not', () => {
    const { kept, over } = limited([call('c'), ...batch('one', maxBatch), ...batch('two', maxBatch)])

    expect(kept).toHaveLength(1 + maxBatch)
    expect(ids(over)).toEqual(['two'])
  })
})

describe('with drafts first', () => {
  const order: CallTool = {
    name: 'mcp__shop__order',
    sign: 'record',
    words: {} as CallTool['words'],
    description: 'Orders',
    parameters: z.strictObject({}),
    dataClass: 'internal',
    adminOnly: false,
    writes: true,
    definition: 'd1',
    call: async () => ({ text: '' }),
  }
  const plan = async (...calls: ToolCall[]) => {
    const planned = await planAll(calls, {
      actor: admin,
      cms,
      facts: facts({ actor: admin, drafts: 'first', capabilities: capabilities(), remote: [order] }),
      made: [],
      reply: calls,
      begun: [],
      options: {
        nonce: 'n',
        log: (error) => {
          throw error
        },
      },
      signal: new AbortController().signal,
    })
    return planned.map(({ kind, call }) => [call.id, kind])
  }
  const publish = call('p', 'set_state', { table: 'news', uid: 2, state: 'hidden' })

  test('publishing is proposed alone', async () => {
    expect(await plan(publish)).toEqual([['p', 'write']])
  })

  test('publishing waits for the next reply beside a call of another server', async () => {
    expect(await plan(publish, call('o', order.name))).toEqual([
      ['p', 'refuse'],
      ['o', 'call'],
    ])
  })
})
