import { sum, tokensIn, tokensPerImage } from '../../model/estimate.ts'
import type { ModelRequest } from '../../model/model.ts'
import { type Call, type Entry, recall, type Summary, type Turn } from './recall.ts'

/**
 * Fits a transcript into the history budget and the model's window. Old turns lose the results of lookups, then the
 * lookup calls; user messages and decisions stay. Turns are left out whole, never a call without its result. The cuts
 * happen in steps: the beginning of a request stays the same for several calls, and the provider's cache works.
 */

/** The window of the model, and what a request needs of it besides the turns, in tokens. */
export type Room = Pick<ModelRequest, 'maxTokens'> & {
  contextTokens: number
  fixedTokens: number
  /** The tokens for the turns before the running one; null or undefined: limited only by the window. */
  historyTokens?: number | null | undefined
  /** The newest summary; its turns are left out. */
  summary?: Summary | undefined
}

/** The tokens added for each block or message. */
const frameTokens = 8

/** The turns that a request keeps; `tokens` estimates its whole input. */
export type Kept = {
  turns: Turn[]
  shortened: boolean
  tokens: number
  /** The sequence of the first kept turn; set only if turns without a summary are left out. */
  until?: number
}

/** Returns the newest turns that fit, with a note to the model if turns are left out. Always keeps the last turn. */
export function within(turns: Turn[], room: Room): Kept {
  const { summary } = room
  const window = room.contextTokens - room.maxTokens - room.fixedTokens
  const running = turns.slice(-1)
  const before = turns.slice(0, -1)
  const covered = before.filter((turn) => beginOf(turn) < (summary?.until ?? 0)).length
  const aged = withinHistory(before.slice(covered), room.historyTokens)
  const over = tokensOf([...aged, ...running]) - window
  const { turns: fitting, toDrop } = over > 0 ? dropTurns(aged, over, window) : { turns: aged, toDrop: 0 }
  const kept = [...fitting, ...running.map((turn) => (toDrop > 0 ? trimmed(turn, toDrop) : turn))]
  const dropped = before.slice(0, before.length - fitting.length)
  const note = dropped.length > 0 ? [noteOn(dropped, noteLength(window), summary)] : []
  const all = [...note, ...kept]
  return {
    turns: all,
    shortened: over > 0 || dropped.length > 0,
    tokens: room.fixedTokens + tokensOf(all),
    ...(dropped.length > covered && { until: beginOf(kept[0] ?? []) }),
  }
}

const noteOn = (dropped: Turn[], length: number, summary: Summary | undefined): Turn => [
  { kind: 'note', text: recall(dropped, length, summary) },
]

/** Returns the sequence of the message that begins a turn; 0 for rows before the first message. */
const beginOf = (turn: Turn): number => turn.find((entry) => entry.kind === 'user')?.sequence ?? 0

/**
 * Returns the maximum number of characters of a note about left-out turns: an eighth of the window, at three characters
 * a token, but at most 6,000.
 */
const noteLength = (window: number) => Math.max(0, Math.min(6_000, Math.floor((window * 3) / 8)))

/**
 * The number of newest turns that keep their results (`whole`) or their lookup calls (`called`). Older turns lose them
 * in groups of `step`.
 */
const whole = { turns: 3, step: 3 }
const called = { turns: 16, step: 8 }

/**
 * Returns the turns before the running turn, within their budget. A history of at most a quarter of the budget stays
 * unchanged.
 */
function withinHistory(turns: Turn[], budget: number | null | undefined): Turn[] {
  if (!budget) return turns
  let quarter = budget / 4
  // Counts no further than a quarter: a long history has megabytes.
  for (const turn of turns) if (quarter >= 0) quarter -= turnTokens(turn)
  if (quarter >= 0) return turns
  const reach = ({ turns: newest, step }: typeof whole) => Math.floor((turns.length - newest) / step) * step
  const [uncalled, cleared] = [reach(called), reach(whole)]
  let aged = turns.map((turn, at) => {
    if (at < uncalled) return removeLookups(turn)
    return at < cleared ? clearResults(turn) : turn
  })
  for (const shrink of [clearResults, removeLookups]) {
    const over = tokensOf(aged) - budget
    if (over > 0) aged = shrinkTurns(aged, inSteps(over, budget), shrink)
  }
  const over = tokensOf(aged) - budget
  return over > 0 ? dropTurns(aged, over, budget).turns : aged
}

/** Rounds the tokens to cut up to quarters of the budget, so that several calls share one cut. */
function inSteps(over: number, budget: number): number {
  const step = Math.max(1, Math.floor(budget / 4))
  return Math.ceil(over / step) * step
}

function shrinkTurns(turns: Turn[], tokens: number, shrink: (turn: Turn) => Turn): Turn[] {
  let toDrop = tokens
  return turns.map((turn) => {
    if (toDrop <= 0) return turn
    const small = shrink(turn)
    toDrop -= turnTokens(turn) - turnTokens(small)
    return small
  })
}

/** Leaves out the oldest turns. `toDrop` is the number of tokens that still have to be cut. */
function dropTurns(turns: Turn[], over: number, budget: number): { turns: Turn[]; toDrop: number } {
  let toDrop = inSteps(over, budget)
  let first = 0
  while (first < turns.length && toDrop > 0) toDrop -= turnTokens(turns[first++] ?? [])
  return { turns: turns.slice(first), toDrop }
}

/** Results up to this length stay, because a replacement would save little. */
const shortResult = 200
const clearedLine = '[This result is old and was left out. Call the tool again if you need it.]'

/** Returns the turn with long results replaced by one line; a decided call keeps the beginning of its result. */
function clearResults(turn: Turn): Turn {
  return turn.map((entry) =>
    entry.kind === 'assistant' ? { ...entry, calls: entry.calls.map(clearCall) } : entry,
  )
}

function clearCall(call: Call): Call {
  const { text, isError } = call.result
  if (text.length <= shortResult) return call
  return { ...call, result: { text: call.isDecided ? shortened(call) : clearedLine, isError } }
}

/** The maximum number of characters of an old answer; a longer answer keeps only this number. */
const oldAnswer = 120

/** Returns the turn without lookup calls. User messages and decided calls stay; long answers keep their beginning. */
function removeLookups(turn: Turn): Turn {
  return turn.map((entry) => {
    if (entry.kind !== 'assistant') return entry
    const { text, calls } = entry
    const isLong = text.length > oldAnswer + 20
    const begun = isLong ? `${text.slice(0, oldAnswer).toWellFormed()} […]` : text
    return { ...entry, text: begun, calls: calls.filter(({ isDecided }) => isDecided).map(clearCall) }
  })
}

/** Estimates the tokens of the parts that all requests of a turn share. */
export function fixedTokensOf({ system, tools }: Pick<ModelRequest, 'system' | 'tools'>): number {
  const texts = [...system.map(({ text }) => text), ...tools.map((tool) => JSON.stringify(tool))]
  return sum(texts.map((text) => frameTokens + tokensIn(text)))
}

const tokensOf = (turns: Turn[]): number => sum(turns.map(turnTokens))

const turnTokens = (turn: Turn): number => sum(turn.map((entry) => frameTokens + entryTokens(entry)))

function entryTokens(entry: Entry): number {
  const own = tokensIn(entry.text)
  if (entry.kind === 'note') return own
  if (entry.kind === 'user') return own + entry.attachmentTokens
  return own + sum(entry.calls.map(callTokens)) + (entry.parts ? tokensIn(JSON.stringify(entry.parts)) : 0)
}

function callTokens({ name, arguments: args, result }: Call): number {
  const images = (result.images?.length ?? 0) * tokensPerImage
  return 2 * frameTokens + tokensIn(name + JSON.stringify(args)) + tokensIn(result.text) + images
}

const keptCharacters = 600
const cutMark = '[The rest of this result was left out, because it no longer fits.'
const again = ' Call the tool again if you need it.'

/** Returns the turn with cut results, oldest first, until `tokens` are saved or no result can be cut. */
function trimmed(turn: Turn, tokens: number): Turn {
  let toDrop = tokens
  return turn.map((entry) => {
    if (entry.kind !== 'assistant') return entry
    const calls = entry.calls.map((call) => {
      const text = toDrop > 0 ? shortened(call) : call.result.text
      toDrop -= tokensIn(call.result.text) - tokensIn(text)
      return { ...call, result: { ...call.result, text } }
    })
    return { ...entry, calls }
  })
}

/** Returns the beginning of a result, with the end of its fence and what the user said after it. */
function shortened({ result: { text }, isDecided }: Call): string {
  const end = text.lastIndexOf('</data-')
  const short = text.slice(0, keptCharacters).toWellFormed()
  const mark = `${cutMark}${isDecided ? '' : again}]`
  const result = [short, ...(end < 0 ? [] : [text.slice(end)]), mark].join('\n')
  return result.length < text.length ? result : text
}
