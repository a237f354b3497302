/** The turn on LangGraph.js with its Postgres checkpointer, which stores every step before the next step begins. */
import { BaseChatModel } from '@langchain/core/language_models/chat_models'
import { AIMessage, HumanMessage } from '@langchain/core/messages'
import { tool } from '@langchain/core/tools'
import { createReactAgent } from '@langchain/langgraph/prebuilt'
import { PostgresSaver } from '@langchain/langgraph-checkpoint-postgres'
import pg from 'pg'
import * as z from 'zod'
import { transcript } from '../long-transcript.ts'
import { handOver } from '../section.ts'
import {
  answer,
  length,
  measureTurns,
  port,
  question,
  record,
  rounds,
  runs,
  warmUp,
  watchSent,
} from './assignment.ts'

class Instant extends BaseChatModel {
  _llmType() {
    return 'instant'
  }
  bindTools() {
    return this
  }
  async _generate(messages: { getType(): string }[]) {
    const asked = messages.findLastIndex((message) => message.getType() === 'human')
    const round = messages.slice(asked + 1).filter((message) => message.getType() === 'ai').length
    const call = { id: `call_${round}`, name: 'get_record', args: { table: 'pages', uid: round + 2 } }
    const message =
      round < rounds ? new AIMessage({ content: '', tool_calls: [call] }) : new AIMessage(answer)
    return { generations: [{ text: String(message.content), message }] }
  }
}

const getRecord = tool(async ({ uid }: { uid: number }) => record(uid), {
  name: 'get_record',
  description: 'All fields of one record.',
  schema: z.object({ table: z.string(), uid: z.int() }),
})

let writes = 0
let bytes = 0
/** Returns the bytes of one value as it is written. */
function size(value: unknown): number {
  if (value instanceof Uint8Array) return value.length
  return Buffer.byteLength(typeof value === 'string' ? value : (JSON.stringify(value) ?? ''))
}

let open = 0
let openedAt = 0
let waitMs = 0
const query = pg.Client.prototype.query
pg.Client.prototype.query = async function counted(this: unknown, ...args: unknown[]) {
  const [first, second] = args as [string | { text?: string; values?: unknown[] }, unknown[] | undefined]
  const text = typeof first === 'string' ? first : (first.text ?? '')
  if (/^\s*(insert|update|delete)/i.test(text)) {
    const values = (typeof first === 'string' ? second : first.values) ?? []
    writes += 1
    bytes += values.reduce((sum: number, value) => sum + size(value), 0)
  }
  if (open++ === 0) openedAt = performance.now()
  try {
    return await Reflect.apply(query, this, args)
  } finally {
    if (--open === 0) waitMs += performance.now() - openedAt
  }
}

const sent = watchSent()
const saver = PostgresSaver.fromConnString(`postgresql://bench@127.0.0.1:${port}/postgres`)
await saver.setup()
const agent = createReactAgent({ llm: new Instant({}), tools: [getRecord], checkpointSaver: saver })
const historyOf = transcript(length).map(({ role, content }) =>
  role === 'user' ? new HumanMessage(content) : new AIMessage(content),
)

/** The threads with their history; they are created before the measurement begins. */
const threads = new Map<number, { configurable: { thread_id: string } }>()
for (let run = -warmUp; run < runs; run++) {
  const config = { configurable: { thread_id: `${process.pid}-${run}` } }
  if (historyOf.length > 0) await agent.updateState(config, { messages: historyOf })
  threads.set(run, config)
}

handOver(
  await measureTurns(async (run) => {
    const before = { writes, bytes, waitMs, wire: sent(port) }
    const config = { ...threads.get(run), durability: 'sync' as const, recursionLimit: 50 }
    const { messages } = await agent.invoke({ messages: [new HumanMessage(question)] }, config)
    if (messages.length !== length + 2 * rounds + 2)
      throw new Error(`The turn ended with ${messages.length} messages`)
    return {
      writes: writes - before.writes,
      bytes: bytes - before.bytes,
      wireBytes: sent(port) - before.wire,
      waitMs: waitMs - before.waitMs,
    }
  }),
)
