import { randomUUID } from 'node:crypto'
import { config } from '../../core/base/config.ts'
import type { Bench, User } from '../support/live.ts'
import { grow } from './history.ts'
import { instant } from './instant.ts'
import { type Request, takeRequests, total } from './meter.ts'

/** The cost of an operation: requests to AWS, and units of the chat table and of the tables of the CMS. */
export type Cost = { requests: number; read: number; write: number; cmsRequests: number; cmsRead: number }

/** The costs of all operations, by the name of the operation. */
export type Operations = Awaited<ReturnType<typeof measureOperation>>

/** Measures every operation on a conversation with `length` messages, as the user `editor`. */
export async function measureOperation(bench: Bench, length: number) {
  const editor = await bench.login('editor')
  const id = await grow(bench.site.editor, length, bench.clock.now())
  await playTurn(bench, editor, id, 0)
  const seen = await editor.poll(id, { tail: 1 })
  const { version, messageCount } = seen.conversation
  const query = { conversationId: id, version, after: messageCount }
  await editor.get('/status')

  const fastPoll = await cost(() => editor.get('/conversations/messages', query))
  const status = await cost(() => editor.get('/status'))
  const list = await cost(() => editor.get('/conversations', { limit: 50 }))
  const none = await playTurn(bench, editor, id, 0)
  const poll = await cost(() => editor.get('/conversations/messages', query))
  const two = await playTurn(bench, editor, id, 2)
  const four = await playTurn(bench, editor, id, 4)
  const five = await playTurn(bench, editor, id, 5)
  const cold = await playTurn(bench, editor, id, 0, () => bench.configure())
  return {
    fastPoll,
    /** A poll that finds two new rows. */
    poll,
    send: none.send,
    status,
    list,
    /** All requests of a consumer before its first model call, in a process that has just started. */
    start: cold.start,
    /** One more round of the turn, with one tool. */
    round: difference(five.all, four.all),
    /** A turn without any tool. */
    turn: none.all,
    /** The requests of a turn with three model calls and two tools, to all services. */
    asked: two.requests,
  }
}

/**
 * Sends a message and lets the consumer answer it. `between` runs before the consumer begins; it clears caches, as in a
 * process that has just started.
 */
async function playTurn(
  bench: Bench,
  editor: User,
  id: string,
  rounds: number,
  between: () => Promise<unknown> = async () => {},
) {
  takeRequests()
  const body = { conversationId: id, content: 'What is on these pages?' }
  const { status } = await editor.post('send', body, { key: randomUUID() })
  if (status !== 202) throw new Error(`The message was answered with ${status}`)
  const send = takeRequests()
  await between()
  takeRequests()
  let start: Request[] | undefined
  const onAsk = () => {
    start ??= takeRequests()
  }
  // The tool reads a media record, because it always takes one read unit, while a page takes more with further fields.
  // So the cost of a round changes only with the chat.
  const model = instant({ rounds, table: 'media', onAsk })
  const ending = await bench.consume({ model: async () => model })
  if (ending !== 'done') throw new Error(`The turn ended as ${ending}`)
  const rest = takeRequests()
  const before = start ?? []
  return {
    send: costOf(send),
    start: costOf(before.filter(isTable)),
    all: costOf([...before, ...rest].filter(isTable)),
    requests: before.length + rest.length,
  }
}

/**
 * Counts only the table: Lambda itself receives and deletes the queue's message, so these requests are not the
 * product's.
 */
const isTable = ({ service }: Request) => service === 'dynamodb'

async function cost(act: () => Promise<{ status: number }>): Promise<Cost> {
  takeRequests()
  const { status } = await act()
  if (status >= 300) throw new Error(`Answered with ${status}`)
  return costOf(takeRequests())
}

function costOf(requests: Request[]): Cost {
  const { table } = config()
  const isCms = ({ units }: Request) => units.length > 0 && units.every((one) => one.table !== table)
  const own = requests.filter((request) => !isCms(request))
  const all = total(requests)
  const { write } = total(requests, table)
  const cms = total(requests.filter(isCms))
  return {
    requests: own.length,
    // One request reads the user's row and the session's row, so the CMS units are subtracted.
    read: all.read - cms.read,
    write,
    cmsRequests: cms.requests,
    cmsRead: cms.read,
  }
}

function difference(more: Cost, less: Cost): Cost {
  const names = Object.keys(more) as (keyof Cost)[]
  return Object.fromEntries(names.map((name) => [name, more[name] - less[name]])) as Cost
}
