import { describe, expect, test } from 'vitest'
import { type Conversation, empty } from '../../../../core/conversation/item.ts'
import type { Status } from '../../../../core/conversation/schema.ts'
import { type Ending, ending, type How } from '../../../../core/conversation/transcript/ending.ts'
import type { Pending } from '../../../../core/conversation/transcript/pending.ts'
import type { Message } from '../../../../core/conversation/transcript/schema.ts'

const begunAt = Date.parse('2026-03-01T12:00:00Z')
const now = begunAt + 4_000
const at = new Date(now).toISOString()
const id = '1-01jnab0000000000000000000a'

/** A turn in its second claim: one second of work is done, the current claim is four seconds old. */
const during = (status: Status): Conversation => ({
  ...empty(id, begunAt),
  status,
  messageCount: 2,
  workedMs: 1_000,
  claimedAt: new Date(begunAt).toISOString(),
  cancelRequested: true,
  awaitingUntil: at,
})

const answer: Omit<Message, 'sequence'> = { role: 'assistant', content: 'Done.', createdAt: at }
const proposal = (calls: string[]): Pending => ({
  runId: 'r',
  digest: 'd',
  until: '2026-03-08T12:00:00.000Z',
  decision: undefined,
  open: calls.map((call) => ({ id: call, name: 'update_record' })),
  versions: {},
  definitions: {},
  items: calls.length,
  calls: calls.map((call) => ({
    id: call,
    tool: 'update_record',
    title: 'Update',
    arguments: {},
    preview: null,
  })),
})

/** The writes as the sort keys that they put, delete or change. */
const named = ({ writes }: Ending) =>
  writes.map(({ Put, Delete, Update }) => {
    if (Put) return `put ${Put.Item?.sk}`
    return Delete ? `delete ${Delete.Key?.sk}` : `change ${Update?.Key?.sk}`
  })

const idle = {
  status: 'idle',
  errorCode: undefined,
  errorMessage: undefined,
  awaitingUntil: undefined,
  cancelRequested: false,
  workedMs: 5_000,
  messageCount: 2,
  updatedAt: at,
}

const ends: [string, Status, How, object, string[]][] = [
  [
    'done',
    'locked',
    { status: 'idle', messages: [answer] },
    { ...idle, messageCount: 3 },
    ['put message#00000002', 'change quota'],
  ],
  [
    'done, after a decision was carried out',
    'locked',
    { status: 'idle', messages: [answer], pending: proposal(['a', 'b']) },
    { ...idle, messageCount: 3 },
    ['put message#00000002', 'delete pending', 'delete pending#00', 'delete pending#01', 'change quota'],
  ],
  [
    'failed',
    'locked',
    { status: 'failed', errorCode: 'model.unavailable', errorMessage: 'Try again.' },
    { ...idle, status: 'failed', errorCode: 'model.unavailable', errorMessage: 'Try again.' },
    ['change quota'],
  ],
  [
    'failed before a consumer began: what earlier claims worked stays',
    'processing',
    { status: 'failed', errorCode: 'turn.notStarted', errorMessage: 'Try again.' },
    { ...idle, status: 'failed', errorCode: 'turn.notStarted', errorMessage: 'Try again.', workedMs: 1_000 },
    ['change quota'],
  ],
  [
    'paused again: what the second pause stores is not deleted as well',
    'locked',
    { status: 'awaiting_approval', proposal: proposal(['c']), pending: proposal(['a', 'b']) },
    { ...idle, status: 'awaiting_approval', awaitingUntil: '2026-03-08T12:00:00.000Z' },
    ['put pending', 'put pending#00', 'delete pending#01', 'change quota'],
  ],
  [
    'ended while its proposal waits: it holds no place among the active',
    'awaiting_approval',
    { status: 'idle', pending: proposal(['a']) },
    { ...idle, workedMs: 1_000 },
    ['delete pending', 'delete pending#00'],
  ],
]

describe('a turn', () => {
  test.each(ends)('%s', (_, status, how, changes, writes) => {
    const ended = ending(during(status), how, now)

    expect({ changes: ended.changes, writes: named(ended) }).toEqual({ changes, writes })
  })

  test('whose claim names no beginning has worked as long as its earlier claims', () => {
    const old = { ...during('locked'), claimedAt: '' }

    expect(ending(old, { status: 'idle' }, now).changes.workedMs).toBe(1_000)
  })
})
