import { figuresOf } from '../../core/agent/figure.ts'
import { buildHistory } from '../../core/agent/prompt/history.ts'
import { canonical } from '../../core/base/hash.ts'
import type { Message, ToolCall } from '../../core/conversation/transcript/schema.ts'
import type { Answer, Model, Usage } from '../../core/model/model.ts'
import { find } from '../../core/tool/tools.ts'
import type { RequestBase } from '../../core/turn/request-base.ts'
import { frameOf } from './ground.ts'
import type { RecordedTurn } from './recording.ts'
import { type AttemptReport, attemptOf } from './report.ts'
import type { Subject } from './subject.ts'
import { type Language, languageOf } from './wording.ts'

/** The result of a call that the recording does not contain. */
const notRecorded =
  'This call is not part of the recording, so that its result is not known. Go on without it.'

/**
 * Lets a subject answer a recorded turn: tools return the recorded results, and nothing is changed. The judgement
 * compares the new turn with the recorded turn: the figures from results, the proposed changes, and the language.
 */
export async function replay(turn: RecordedTurn, subject: Subject, model: Model): Promise<AttemptReport> {
  const startedAt = performance.now()
  const lang = languageOfTurn(turn)
  const actor = { uid: 1, username: 'admin', name: 'Administrator', isAdmin: true, groups: [], lang }
  const frame = frameOf(subject.settings, actor, model)
  const rows = [...turn.before, turn.question]
  const usages: Usage[] = []
  const maxRounds = Math.max(...subject.settings.configurations.map((row) => row.maxRounds))
  for (let isOver = false; !isOver; ) {
    const isClosing = usages.length === maxRounds
    const answer = await ask(model, frame, rows, isClosing)
    usages.push(answer.usage)
    isOver = answer.calls.length === 0 || isClosing
    rows.push(...replayedRows(answer, turn, rows.length, isOver))
  }
  const made = rows.slice(turn.before.length + 1)
  const answer = made.at(-1)?.content ?? ''
  const verdict = { task: turn.id, repeat: 1, faults: judge(turn, made, answer), opinion: null }
  const ms = Math.round(performance.now() - startedAt)
  return attemptOf(verdict, { ...factsOf(made, answer), usages, ms }, subject.prices)
}

/** Returns a recorded turn as an attempt, the baseline of its replay. An export does not contain the cost. */
export function recorded({ id, rows, answer }: RecordedTurn): AttemptReport {
  const verdict = { task: id, repeat: 1, faults: [], opinion: null }
  return { ...attemptOf(verdict, { ...factsOf(rows, answer), usages: [], ms: 0 }, null), transcript: rows }
}

const factsOf = (rows: Message[], answer: string) => ({
  answer,
  transcript: rows,
  rounds: rows.filter(({ role }) => role === 'assistant').length,
  decisions: proposals(rows).length,
  calls: callsOf(rows),
})

/** Returns the language of a turn's answer. */
export const languageOfTurn = ({ answer }: RecordedTurn): Language => languageOf(answer) ?? 'en'

function ask(model: Model, frame: RequestBase, rows: Message[], isClosing: boolean): Promise<Answer> {
  const expand = ({ fileName }: Message) => {
    const text = `[Note of the system: the file ${fileName ?? ''} is not part of the recording.]`
    return { blocks: [{ type: 'text' as const, text }], tokens: 50 }
  }
  const { contextTokens } = model.limits
  const { messages } = buildHistory(rows, { ...frame, contextTokens, expand })
  const { system, tools, maxTokens, reasoning } = frame
  const toolChoice = isClosing ? ('none' as const) : ('auto' as const)
  const request = { system, messages, tools, toolChoice, maxTokens, ...(reasoning && { reasoning }) }
  return model.ask(request, new AbortController().signal)
}

/** Returns the transcript rows of an answer: its text, and the recorded results of its calls. */
function replayedRows(
  { text, calls }: Answer,
  turn: RecordedTurn,
  sequence: number,
  isOver: boolean,
): Message[] {
  const createdAt = turn.question.createdAt
  const reply: Message = { sequence, role: 'assistant', content: text, createdAt }
  if (isOver) return [reply]
  const results = calls.map((call, nth): Message => {
    const known = resultOf(call, turn.rows)
    return {
      sequence: sequence + 1 + nth,
      role: 'tool',
      content: known?.content ?? notRecorded,
      createdAt,
      toolCallId: call.id,
      toolName: call.name,
      isError: known?.isError ?? true,
      ...(known?.outcome && { outcome: known.outcome }),
    }
  })
  return [{ ...reply, toolCalls: calls }, ...results]
}

function resultOf(call: ToolCall, rows: Message[]): Message | undefined {
  const same = callsOf(rows).find(
    ({ name, arguments: args }) => name === call.name && canonical(args) === canonical(call.arguments),
  )
  return same && rows.find(({ toolCallId }) => toolCallId === same.id)
}

const callsOf = (rows: Message[]): ToolCall[] => rows.flatMap(({ toolCalls = [] }) => toolCalls)
const proposals = (rows: Message[]): ToolCall[] => callsOf(rows).filter(({ name }) => find(name)?.writes)

/** Returns the target of a proposal without the texts that it would write. */
function aim({ name, arguments: { table, uid, fields, parent, page } }: ToolCall): string {
  return canonical({ name, table, uid, fields: Object.keys(Object(fields)).sort(), parent, page })
}

function judge(turn: RecordedTurn, made: Message[], answer: string): string[] {
  const results = turn.rows.filter(({ role }) => role === 'tool').map(({ content }) => content)
  const shown = figuresOf(results.join('\n'))
  const named = figuresOf(answer)
  const missing = [...figuresOf(turn.answer)].filter((figure) => shown.has(figure) && !named.has(figure))
  const before = new Set(proposals(turn.rows).map(aim))
  const now = new Set(proposals(made).map(aim))
  const detected = languageOf(answer)
  return [
    ...missing.map((figure) => `The recorded answer names the figure ${figure}, this one does not.`),
    ...[...before].filter((one) => !now.has(one)).map((one) => `The recorded proposal is missing: ${one}.`),
    ...[...now]
      .filter((one) => !before.has(one))
      .map((one) => `It proposes what was not proposed then: ${one}.`),
    ...(detected && detected !== languageOfTurn(turn) ? [`The answer is in the language ${detected}.`] : []),
  ]
}
