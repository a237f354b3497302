import { buildHistory, type History } from '../../core/agent/prompt/history.ts'
import { newestSummary } from '../../core/agent/prompt/recall.ts'
import type { Message } from '../../core/conversation/transcript/schema.ts'
import { modelFacts } from '../../core/model/create.ts'
import { encodeMessages } from '../../core/model/encode.ts'
import type { ModelRequest, Usage } from '../../core/model/model.ts'
import { microDollarsOf } from '../../core/model/price.ts'
import type { Settings } from '../../core/stage/settings/schema.ts'
import { type Resolved, resolve } from '../../core/stage/settings/settings.ts'
import type { RequestBase } from '../../core/turn/request-base.ts'
import { summaryRequest } from '../../core/turn/summary.ts'
import { UsageError } from '../command.ts'
import { frameOf, seededGround } from '../eval/ground.ts'

/**
 * Calculates the cost of a long scripted conversation, whose requests the product itself builds. Simulates the
 * provider's cache from the cache marks of each request, byte by byte.
 */

/** The scripted conversation that docs/models.md describes. */
export const longCourse = {
  turns: 400,
  /** The number of tool calls in a turn, which follow one another, and the characters of each result. */
  tools: 2,
  resultCharacters: 3_000,
  /** Minutes between two turns; the calls of one turn follow each other without a pause. */
  pauseMinutes: 10,
  /** Characters per token; the vendor states 2.5 for its current models. */
  charactersPerToken: 2.5,
}
type Course = typeof longCourse

/** The first message of the user. */
export const firstRequest =
  'We rework the texts of all lamps this month: short, friendly, with the price first.'
/** An instruction of the user that applies to the whole conversation. */
export const standingOrder = 'Never touch the page Imprint.'

/**
 * Returns the cost of a course at the prices of the settings' model, and tells the number of each turn. Throws
 * UsageError if that model has no prices.
 */
export function costOf(course: Course, settings: Settings, tell: (turn: number) => void = () => {}) {
  const { resolved, missing } = resolve(settings, { groups: [], isAdmin: true })
  if (!resolved) throw new UsageError(missing)
  const { prices } = resolved.model
  if (!prices) throw new UsageError('The model of this stage has no prices in its settings: name them there.')
  const ask = () => Promise.reject(new Error('is not asked'))
  const model = { ...modelFacts(resolved.provider, resolved.model), ask }
  const now = Date.parse(createdAt)
  const base = frameOf(settings, editor, model, seededGround(), { nonce, now })
  const cache = new Cache(course.charactersPerToken)
  const rows: Message[] = []
  const usages: Usage[] = []
  const summing: Usage[] = []
  const send = (now: number) => {
    const { until, ...request } = requestOf(base, rows, settings, resolved)
    if (until === undefined || !settings.summaries) return request
    const asked = summaryRequest(rows, until, { model, nonce, base })
    if (!asked) return request
    summing.push(cache.ask(asked, summaryRow, now))
    rows.push({ ...summaryRow, until, sequence: rows.length })
    return requestOf(base, rows, settings, resolved)
  }
  let last: ModelRequest = requestOf(base, rows, settings, resolved)
  for (let turn = 0; turn < course.turns; turn++) {
    const now = turn * course.pauseMinutes
    tell(turn)
    for (const [added, answer] of roundsOf(turn, course)) {
      rows.push({ ...added, sequence: rows.length })
      last = send(now)
      usages.push(cache.ask(last, answer, now))
      rows.push({ ...answer, sequence: rows.length })
    }
  }
  const dollars = (calls: Usage[]) => (microDollarsOf(calls, prices) ?? 0) / 1e6
  return {
    dollars: dollars([...usages, ...summing]),
    lastTurnDollars: dollars(usages.slice(-1 - course.tools)),
    tokensOfLastCall: usages.at(-1)?.input ?? 0,
    last,
    /** The number of summaries of earlier turns, and the part of the dollars that they cost. */
    summaries: { count: summing.length, dollars: dollars(summing) },
  }
}

type Row = Omit<Message, 'sequence'>
const createdAt = '2026-11-23T12:00:00.000Z'
const nonce = 'f00d'
const editor = { uid: 2, username: 'editor', name: 'Editor', isAdmin: false, groups: [1], lang: 'en' }
/** A summary of 300 words. */
const summaryRow: Row = {
  role: 'assistant',
  content: 'The lamps were read. '.repeat(90),
  createdAt,
  notice: 'summarised',
}

/** Returns the calls of a turn: the message that is added before each call, and the model's answer. */
function roundsOf(turn: number, { tools, resultCharacters }: Course): [added: Row, answer: Row][] {
  const rounds: [Row, Row][] = []
  let added: Row = { role: 'user', content: questionOf(turn), createdAt }
  const reply: Row = { role: 'assistant', content: '', createdAt, runId: `run-${turn}` }
  for (let at = 0; at < tools; at++) {
    const record = { table: 'pages', uid: 100 + turn * tools + at }
    const call = { id: `toolu_${turn}_${at}`, name: 'get_record', arguments: record }
    rounds.push([added, { ...reply, toolCalls: [call] }])
    const content = fenced(`${turn}/${at}`, resultCharacters)
    added = { ...reply, role: 'tool', content, toolCallId: call.id, toolName: call.name }
  }
  return [...rounds, [added, { ...reply, content: scriptedAnswer(turn) }]]
}

function questionOf(turn: number): string {
  if (turn === 0) return firstRequest
  const question = `Look at lamp ${turn} and the page above it: do price, teaser and title agree, and is the text good?`
  return turn === 4 ? `${standingOrder} ${question}` : question
}

const scriptedAnswer = (turn: number) =>
  `Lamp ${turn} and its page agree: price, title and teaser are the same on both. `.padEnd(
    400,
    'The text reads well. ',
  )

const fenced = (name: string, characters: number) =>
  `<data-f00d source="${name}">\n${'Title: Aurora lamp, price 149 EUR, made of oak. '.repeat(Math.ceil(characters / 48)).slice(0, characters)}\n</data-f00d>`

function requestOf(
  base: RequestBase,
  rows: Message[],
  settings: Settings,
  { model }: Resolved,
): ModelRequest & Pick<History, 'until'> {
  const { messages, until } = buildHistory(rows, {
    ...base,
    contextTokens: model.contextTokens,
    historyTokens: settings.historyTokens,
    summary: settings.summaries ? newestSummary(rows, nonce) : undefined,
    expand: () => ({ blocks: [], tokens: 0 }),
  })
  return { ...base, messages, toolChoice: 'auto', ...(until !== undefined && { until }) }
}

/**
 * A block of a request: its text, and the minutes for which the provider caches the request up to the end of this
 * block; 0 without a cache mark.
 */
type Piece = { text: string; keptMinutes: number }

/** The maximum number of blocks before a mark in which the provider looks for an earlier mark. */
const lookback = 20

/** The provider's cache: each beginning of a request has a number, and the minute until which it is cached. */
class Cache {
  readonly #charactersPerToken: number
  readonly #numbers = new Map<string, number>()
  readonly #until = new Map<number, number>()

  constructor(charactersPerToken: number) {
    this.#charactersPerToken = charactersPerToken
  }

  /** Returns the usage of a call at the minute `now`, and caches what the call writes. */
  ask(request: ModelRequest, answer: Row, now: number): Usage {
    const pieces = piecesOf(request)
    const sizes = pieces.map(({ text }) => text.length / this.#charactersPerToken)
    const numbers = this.#numbersOf(pieces)
    const marks = [...pieces.keys()].filter((at) => (pieces[at]?.keptMinutes ?? 0) > 0)
    const isKept = (at: number) => (this.#until.get(numbers[at] ?? -1) ?? -1) >= now
    const found = marks.flatMap((mark) =>
      Array.from({ length: Math.min(lookback, mark + 1) }, (_, back) => mark - back).filter(isKept),
    )
    const read = Math.max(-1, ...found)
    const hour = Math.max(-1, ...marks.filter((at) => (pieces[at]?.keptMinutes ?? 0) > 5))
    const end = marks.at(-1) ?? -1
    for (const at of marks) this.#until.set(numbers[at] ?? -1, now + (pieces[at]?.keptMinutes ?? 0))
    if (read >= 0) this.#until.set(numbers[read] ?? -1, now + (pieces[read]?.keptMinutes || 5))
    const tokens = (from: number, to: number) =>
      Math.round(sizes.slice(from + 1, to + 1).reduce((sum, size) => sum + size, 0))
    const said = answer.content + (answer.toolCalls ? JSON.stringify(answer.toolCalls) : '')
    return {
      input: tokens(-1, pieces.length - 1),
      output: Math.ceil(said.length / this.#charactersPerToken),
      cacheRead: tokens(-1, read),
      cacheWrite: tokens(read, Math.max(read, end)),
      cacheWriteHour: tokens(read, Math.max(read, hour)),
    }
  }

  /** Returns a number for each beginning of the request: the same number for the same bytes. */
  #numbersOf(pieces: Piece[]): number[] {
    let before = 0
    return pieces.map(({ text }) => {
      const beginning = `${before} ${text}`
      const number = this.#numbers.get(beginning) ?? this.#numbers.size + 1
      this.#numbers.set(beginning, number)
      before = number
      return number
    })
  }
}

/** Returns the blocks of a request in the order of the cache: tools, system prompt, messages. */
function piecesOf(request: ModelRequest): Piece[] {
  const { tools = [], system = [], messages } = encodeMessages('', request)
  const blocks: object[] = [...tools, ...(Array.isArray(system) ? system : [{ text: system }])]
  for (const { role, content } of messages) {
    const list: object[] = typeof content === 'string' ? [{ text: content }] : content
    blocks.push(...list.map((block) => ({ role, ...block })))
  }
  return blocks.map((block) => {
    const { cache_control: mark, ...rest } = block as { cache_control?: { ttl?: string } | null }
    const minutes = mark?.ttl === '1h' ? 60 : 5
    return { text: JSON.stringify(rest), keptMinutes: mark ? minutes : 0 }
  })
}
