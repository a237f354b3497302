/** The turn by the SDK's own tool runner, which keeps everything in memory and stores nothing. */
import Anthropic from '@anthropic-ai/sdk'
import { betaZodTool } from '@anthropic-ai/sdk/helpers/beta/zod'
import * as z from 'zod'
import { transcript } from '../long-transcript.ts'
import { answer, length, measureTurns, question, record, rounds, sendTurns } from './assignment.ts'

let round = 0
const client = new Anthropic({
  apiKey: 'none',
  fetch: async () => {
    const call = {
      type: 'tool_use',
      id: `toolu_${round}`,
      name: 'get_record',
      input: { table: 'pages', uid: round + 2 },
    }
    const isLast = round++ >= rounds
    return Response.json({
      id: `msg_${round}`,
      type: 'message',
      role: 'assistant',
      model: 'instant',
      content: isLast ? [{ type: 'text', text: answer }] : [call],
      stop_reason: isLast ? 'end_turn' : 'tool_use',
      stop_sequence: null,
      usage: { input_tokens: 1_000, output_tokens: 50 },
    })
  },
})

const getRecord = betaZodTool({
  name: 'get_record',
  description: 'All fields of one record.',
  inputSchema: z.object({ table: z.string(), uid: z.int() }),
  run: ({ uid }) => record(uid),
})

const history = transcript(length)

sendTurns(
  await measureTurns(async () => {
    round = 0
    await client.beta.messages.toolRunner({
      model: 'instant',
      max_tokens: 8_192,
      messages: [...history, { role: 'user', content: question }],
      tools: [getRecord],
    })
    if (round !== rounds + 1) throw new Error(`The turn took ${round} calls`)
    return { writes: 0, bytes: 0, wireBytes: 0, waitMs: 0 }
  }),
)
