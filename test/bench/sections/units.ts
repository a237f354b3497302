import { startBench } from '../../support/live.ts'
import { openBed } from '../bed.ts'
import { type Cost, measureOperation, type Operations } from '../operations.ts'
import { figure, type Row } from '../result-table.ts'
import { section } from '../section.ts'

/** Measures the capacity units and requests of each operation, as the table reports them. */
section(async () => {
  await openBed()
  const bench = await startBench({ maxConversationsPerUser: null })
  const short = await measureOperation(bench, 10)
  const long = await measureOperation(bench, 5_000)
  return [...bounds(short), ...equal(short, long), ...others(short, long)]
})

function bounds({ fastPoll, poll, send, status, start, round, asked }: Operations): Row[] {
  return [
    figure('fast poll', fastPoll.read, 'read units', { most: 4 }),
    figure('fast poll', fastPoll.requests, 'requests', { most: 1 }),
    figure('poll with two new rows', poll.read - fastPoll.read, 'read units more', { most: 2 }),
    figure('poll with two new rows', poll.requests, 'requests', { most: 2 }),
    figure('send', send.write, 'write units', { most: 16, note: 'with an idempotency key' }),
    figure('send', send.requests, 'requests', { most: 3, note: 'session, transaction, queue' }),
    figure('status', status.requests, 'requests', { most: 3 }),
    figure('process start', start.requests, 'requests to the chat table', {
      most: 4,
      note: 'in a process that has just started',
    }),
    figure('process start', start.cmsRequests, 'requests to the CMS'),
    figure('round with one tool', round.write, 'write units', { most: 16, note: 'rows below 1 KB' }),
    figure('round with one tool', round.requests, 'requests to the chat table'),
    figure('round with one tool', round.cmsRequests, 'requests to the CMS', {
      most: 3,
      note: 'rights are read afresh for each call: the user with the record, pages, groups',
    }),
    figure('turn of three model calls and two tools', asked, 'requests', {
      most: 18,
      note: 'with those of the queue',
    }),
  ]
}

const growing = ['fastPoll', 'poll', 'send', 'round'] as const

/** Returns the ratio of each operation's units with 5,000 and with 10 messages of history. */
function equal(short: Operations, long: Operations): Row[] {
  const units = ({ read, write }: Cost) => (write > 0 ? write : read)
  return growing.map((name) => {
    const ratio = units(long[name]) / units(short[name])
    return figure(`${name} at 5,000 messages against 10`, ratio, 'times the units', { most: 1.05 })
  })
}

function others(short: Operations, long: Operations): Row[] {
  return [
    figure('turn without a tool', short.turn.write, 'write units'),
    figure('list of conversations', short.list.read, 'read units'),
    figure('process start at 5,000 messages', long.start.requests, 'requests to the chat table', {
      note: "the model's window is two pages of 1 MB",
    }),
    figure('process start at 5,000 messages', long.start.read, 'read units', {
      note: "what the model's window holds is read once a turn",
    }),
  ]
}
