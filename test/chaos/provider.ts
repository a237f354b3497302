import type { Clock } from '../../core/base/clock.ts'
import { anthropic } from '../../core/model/anthropic.ts'
import { limits, type Model } from '../../core/model/model.ts'
import { admit } from '../../core/model/wire/endpoint.ts'
import { events, type Reply } from '../../core/model/wire/reply.ts'
import type { WireRequest } from '../../core/model/wire/shape.ts'
import { effect } from './edge.ts'

/** What the model says in one round. */
export type Said = {
  text?: string
  /** Its calls; a function gets the results that the model has read since the user spoke, as one text. */
  calls?: Call[] | ((results: string) => Call[])
}
type Call = { name: string; arguments: object }

/** What it says to a text of the user, round by round; the last one holds for all that follow. */
export type Says = (text: string) => Said[]

/**
 * A model behind the SDK's own `fetch` and the strict validator, which decides by the request alone: a call
 * that is repeated after a crash has the same answer. `meanwhile` happens while a call is under way.
 */
export function provider(
  clock: Clock,
  says: Says,
  meanwhile: (round: number, signal: AbortSignal) => Promise<void> = async () => undefined,
): Model {
  const about = { provider: 'Test', model: 'claude-sonnet-5-5', isAI: true }
  const windows = { contextTokens: 200_000, maxOutputTokens: 64_000 }
  return anthropic({
    about,
    capabilities: ['vision', 'tools'],
    limits: limits(windows, 'anthropic'),
    key: 'key-of-the-test',
    baseUrl: 'http://model.invalid',
    clock,
    fetch: (url, init) =>
      effect('model', async () => {
        const admission = await admit(new Request(url, init), { requestId: 'req_test' })
        if (!admission.ok) return admission.response
        const { text, round } = place(admission.request)
        await meanwhile(round, init?.signal ?? new AbortController().signal)
        return answer(admission.request, saidAt(says(text), round), round)
      }),
  })
}

function saidAt(rounds: Said[], round: number): Said {
  return rounds[Math.min(round, rounds.length - 1)] ?? { text: 'Nothing.' }
}

/** The last thing that the user said, and how often the model has spoken since. */
function place({ messages }: WireRequest): { text: string; round: number } {
  const texts = messages.map(({ role, content }) =>
    role === 'user' ? content.flatMap((block) => (block.type === 'text' ? [block.text] : [])) : [],
  )
  const last = texts.findLastIndex((of) => of.length > 0)
  const round = messages.slice(last + 1).filter(({ role }) => role === 'assistant').length
  return { text: texts[last]?.at(-1) ?? '', round }
}

function answer(request: WireRequest, { text, calls = [] }: Said, round: number): Response {
  const asked = request.messages.length
  const made = typeof calls === 'function' ? calls(JSON.stringify(request.messages.at(-1)?.content)) : calls
  const uses = made.map(({ name, arguments: input }, at) => ({
    type: 'tool_use' as const,
    id: `toolu_${asked}_${round}_${at}`,
    name,
    input,
  }))
  const reply: Reply = {
    content: [...(text ? [{ type: 'text' as const, text }] : []), ...uses],
    stop: uses.length > 0 ? 'tool_use' : 'end_turn',
    usage: { input: 100, output: 20 },
  }
  return new Response(events('msg_test', request, reply).join(''), {
    headers: { 'content-type': 'text/event-stream', 'request-id': 'req_test' },
  })
}
