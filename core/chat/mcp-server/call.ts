import { ulid } from 'ulid'
import { planAll } from '../../agent/plan.ts'
import { isStorable, tooLong } from '../../agent/truncate.ts'
import * as Table from '../../base/aws/table.ts'
import { ToolError, VisibleError } from '../../base/error.ts'
import { sentence } from '../../base/error-sentence.ts'
import { type English, fillIn, inLanguage } from '../../base/language.ts'
import * as Log from '../../base/log.ts'
import { empty } from '../../conversation/item.ts'
import type { Summary } from '../../conversation/schema.ts'
import * as Shape from '../../conversation/transcript/schema.ts'
import * as Transcript from '../../conversation/transcript/transcript.ts'
import * as Waiting from '../../conversation/waiting.ts'
import * as Files from '../../file/site-files.ts'
import { type CallOptions, refusal, run } from '../../tool/run.ts'
import type { ReadTool, Tool, ToolContext } from '../../tool/tool.ts'
import { singles } from '../../tool/tools.ts'
import { takeCall } from '../../user/access-token/token.ts'
import * as Audit from '../../user/audit.ts'
import { newId, title } from '../conversation.ts'
import { newTurn, type Starter, startNew } from '../start.ts'
import { nonce, type Program, toolsOf } from './program.ts'

/** The result of a call for a program: a text and the pictures that belong to it. */
export type Said = { text: string; isError: boolean; images?: Shape.ImageBlock[] }

/** The ports, time and limits of a call, and the network address of the program. */
export type At = Required<Pick<ToolContext, 'cms' | 'now' | 'signal' | 'hasTime'>> & { ip: string }

/**
 * Calls a tool for a program. A reading tool runs at once. A writing tool makes a conversation of the user in which the
 * call waits for a decision. A refusal is a result with `isError`. Rejects if the service itself fails.
 */
export async function call(
  program: Program,
  { name, args }: { name: string; args: Record<string, unknown> },
  at: At,
): Promise<Said> {
  const options: CallOptions = { nonce: nonce(program), log: (error) => Log.error('A tool failed', error) }
  const tools = toolsOf(program)
  const tool = tools.find((one) => one.name === name)
  if (!tool || !program.facts) {
    const names = tools.map((one) => one.name).join(', ')
    const text = `There is no such tool for this user. Tools: ${names}.`
    return refusal(name, new ToolError(text, { outcome: 'notKnown' }), options)
  }
  if (!tool.writes) return read(program, tool as ReadTool, args, at, options)
  if (!isStorable(args)) return refusal(name, new ToolError(tooLong, { outcome: 'notValid' }), options)
  const wanted = { id: `call_${ulid(at.now).toLowerCase()}`, name, arguments: args }
  const { actor, facts } = program
  const reply = singles(wanted)
  const planned = await planAll(reply, { ...at, actor, facts, made: [], reply, begun: [], options })
  const refused = planned.find((one) => one.kind === 'refuse')
  if (refused) return refused.result
  return wait(program, tool, wanted, at)
}

async function read(
  { actor, token, settings }: Program,
  tool: ReadTool,
  args: Record<string, unknown>,
  { ip, ...at }: At,
  options: CallOptions,
): Promise<Said> {
  // No tool of a program reads the figures of the stage.
  const operations = async () => ({})
  const result = await run(tool, args, { ...at, actor, see, files: Files.list, operations }, options)
  const pass = { type: token.isSession ? 'session' : 'access-token', uid: token.id }
  const resources = [pass, ...(result.records ?? []).map(({ table, uid }) => ({ type: table, uid }))]
  const act = { act: 'read', uid: actor.uid, operation: tool.name, source: 'web', ip } as const
  await Audit.note({ ...act, resources }, settings.retainAuditDays, at.now)
  return result
}

/** Returns a picture unchanged: like the user's browser, the program gets a type that browsers show, at most 3 MB. */
async function see({ mimeType, base64 }: { mimeType: string; base64: string }): Promise<Shape.ImageBlock> {
  return { type: 'image', mimeType: mimeType as Shape.ImageBlock['mimeType'], base64 }
}

async function wait(program: Program, tool: Tool, wanted: Shape.ToolCall, { now }: At): Promise<Said> {
  const { actor, token, settings } = program
  try {
    await takeCall(actor.uid, token, 'hour', now)
    const seen = Waiting.decode(await Table.get(Waiting.key), now)
    const title = inLanguage<{ title: string }>(tool.words, actor.lang).title
    const starter = { actor, settings, request: undefined, now, seen }
    const { id, title: of } = await propose(starter, { call: wanted, tool: title, token: token.name })
    const text = `Nothing has been changed. The proposal waits for the decision of the user "${actor.username}" in the chat of the content management system, for ${Shape.approvalExpiryDays} days, in the conversation ${JSON.stringify(of)} (${id}). Tell the user to decide there. Do not propose the same again: a program cannot approve anything.`
    return { text, isError: false }
  } catch (error) {
    // The program can act on a limit of the chat, so the limit is a result, not an error.
    if (!(error instanceof VisibleError)) throw error
    const { code, params, retryAfterMs: ms } = error
    const again = ms ? ` Ask again after ${Math.ceil(ms / 1_000)} seconds.` : ''
    return { text: `Nothing has been changed: ${sentence(code, 'en', params)}${again}`, isError: true }
  }
}

const proposalWords: English = { en: 'A program proposes over the access token “{token}”: {tool}' }
const proposalOfSession: English = { en: 'A program of the content management system proposes: {tool}' }

/** A call that a program proposes, as its user reads it; `token` is absent for a session of the user. */
type Wanted = { call: Shape.ToolCall; tool: string; token?: string | undefined }

/**
 * Begins a conversation of the user with the call that a program proposes. The turn continues after the call, as after
 * a reply of the model. The consumer shows the call for a decision; the model is asked after the decision.
 */
async function propose(starter: Starter, { call, tool, token }: Wanted): Promise<Summary> {
  const { actor, now } = starter
  const fresh = empty(newId(actor, now), now)
  const turn = newTurn(starter)
  const { runId, updatedAt: createdAt } = turn
  const words = inLanguage(token === undefined ? proposalOfSession : proposalWords, actor.lang)
  const content = fillIn(words, actor.lang, { tool, token: token ?? '' })
  const messages: Shape.Message[] = [
    { sequence: 0, role: 'user', content, createdAt },
    { sequence: 1, role: 'assistant', content: '', createdAt, runId, toolCalls: [call] },
  ]
  return startNew(starter, fresh, {
    changes: { ...turn, messageCount: messages.length, title: title(content, undefined) },
    writes: messages.map((one) => Transcript.put(fresh, one)),
    answer: (summary) => summary,
  })
}
