import { type Clock, systemClock } from '../../base/clock.ts'
import { isRecord } from '../../base/json.ts'
import { anthropic } from '../anthropic.ts'
import { type Capability, limits, type Model, type ModelLimits } from '../model.ts'
import { admit } from '../wire/endpoint.ts'
import { events, type Reply } from '../wire/reply.ts'
import type { WireRequest } from '../wire/shape.ts'
import { choose } from './rules.ts'
import { type Move, play } from './script.ts'
import { situationOf } from './situation.ts'

/** Options of the demo; the defaults suit the local stage. */
type DemoOptions = {
  provider?: string
  capabilities?: Capability[]
  limits?: ModelLimits
  /** Duration of one answer in milliseconds, so that a viewer can watch the steps; default 400. */
  latencyMs?: number
  clock?: Clock
}

/** The id of the demo's model. */
const demoModel = 'demo-scripted-1'

/**
 * Returns the demo model: a fixed script without AI that really calls the tools, in English, German and French. It
 * answers the SDK's `fetch` through the strict validator, so that everything but the provider is the production path.
 * The same request gives the same bytes. It uses no tokens.
 */
export function demo(options: DemoOptions = {}): Model {
  const { latencyMs = 400, clock = systemClock } = options
  return anthropic({
    about: { provider: options.provider ?? 'Demo', model: demoModel, isAI: false },
    capabilities: options.capabilities ?? ['tools'],
    limits: options.limits ?? limits({ contextTokens: 200_000, maxOutputTokens: 64_000 }, 'demo'),
    key: 'demo',
    baseUrl: 'http://demo.invalid',
    clock,
    fetch: async (url, init) => {
      await clock.sleep(latencyMs, init?.signal ?? undefined)
      return respond(new Request(url, init))
    },
  })
}

async function respond(request: Request): Promise<Response> {
  const requestId = 'req_demo'
  const admission = await admit(request, { requestId })
  if (!admission.ok) return admission.response
  const stream = events('msg_demo', admission.request, answer(admission.request)).join('')
  return new Response(stream, {
    headers: { 'content-type': 'text/event-stream', 'request-id': requestId },
  })
}

/** Returns the script's reply to a request. */
function answer(request: WireRequest): Reply {
  const situation = situationOf(request)
  const move = play(choose(situation), situation.rounds)
  const usage = { input: 0, output: 0 }
  if (!move.calls) return { content: [{ type: 'text', text: move.text }], stop: 'end_turn', usage }
  if (request.tool_choice?.type !== 'none')
    return { content: callsOf(move, request), stop: 'tool_use', usage }
  const text = situation.say`The rounds of this turn are used up before the script came to its end.`
  return { content: [{ type: 'text', text }], stop: 'end_turn', usage }
}

/** Numbers the ids of calls after the highest one in the transcript, so that each id is unique. */
function callsOf(move: Extract<Move, { calls: unknown }>, request: WireRequest): Reply['content'] {
  const blocks = request.messages.flatMap(({ content }) => content)
  const used = blocks.map((block) => (block.type === 'tool_use' ? Number(block.id.split('_')[2]) || 0 : 0))
  const next = Math.max(0, ...used) + 1
  return move.calls.map(({ name, arguments: input }, index) => ({
    type: 'tool_use',
    id: `toolu_demo_${next + index}`,
    name,
    input: fitting(input, request.tools?.find((tool) => tool.name === name)?.input_schema),
  }))
}

/** Returns the arguments; a number becomes a text if the tool's schema asks for a text, as for the ids of some CMSs. */
function fitting(input: Record<string, unknown>, schema: unknown): Record<string, unknown> {
  const properties = isRecord(schema) && isRecord(schema.properties) ? schema.properties : {}
  const wantsText = (name: string) => isRecord(properties[name]) && properties[name].type === 'string'
  const suited = (name: string, value: unknown) =>
    typeof value === 'number' && wantsText(name) ? String(value) : value
  return Object.fromEntries(Object.entries(input).map(([name, value]) => [name, suited(name, value)]))
}
