import { tokensIn } from '../../model/estimate.ts'
import type { ModelRequest } from '../../model/model.ts'
import type { Call, Entry, Turn } from './entry.ts'
import { tokensPerImage } from './picture.ts'

/**
 * Fits a transcript into the model's window. It is cut between turns, never inside a call and its result, and in steps
 * of a quarter of the window: the cut then stays where it is for several calls, and so does the provider's cache.
 */

type Room = Pick<ModelRequest, 'system' | 'tools' | 'maxTokens'> & { contextTokens: number }

/** The tokens of the frame of a block or message. */
const frameTokens = 8

/** The turns that a request keeps; `tokens` estimates its whole input. */
export type Kept = { turns: Turn[]; shortened: boolean; tokens: number }

/** The newest turns that fit, with a note to the model if something is left out. The last turn is always kept. */
export function within(turns: Turn[], room: Room): Kept {
  const fixed = fixedTokens(room)
  const budget = room.contextTokens - room.maxTokens - fixed
  const sizes = turns.map(turnTokens)
  const total = sum(sizes)
  if (total <= budget) return { turns, shortened: false, tokens: fixed + total }

  const step = Math.max(1, Math.floor(budget / 4))
  let toDrop = Math.ceil((total - budget) / step) * step
  let first = 0
  while (first < turns.length - 1 && toDrop > 0) toDrop -= sizes[first++] as number
  const kept = turns.slice(first)
  const last = kept.at(-1)
  if (kept.length === 1 && last && toDrop > 0) kept[0] = trimmed(last, toDrop)
  if (first > 0) kept.unshift([{ kind: 'note', text: leftOut }])
  return { turns: kept, shortened: true, tokens: fixed + sum(kept.map(turnTokens)) }
}

const leftOut = '[Earlier turns of this conversation no longer fit and are left out.]'

function fixedTokens({ system, tools }: Room): number {
  const texts = [...system.map(({ text }) => text), ...tools.map((tool) => JSON.stringify(tool))]
  return sum(texts.map((text) => frameTokens + tokensIn(text)))
}

function turnTokens(turn: Turn): number {
  return sum(turn.map((entry) => frameTokens + entryTokens(entry)))
}

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

function sum(numbers: number[]): number {
  return numbers.reduce((total, number) => total + number, 0)
}

const keptCharacters = 600
const cutMark =
  '[The rest of this result was left out, because it no longer fits. Call the tool again if you need it.]'

/** The turn with results cut, the oldest first, until it is smaller by so many tokens or nothing is left to cut. */
function trimmed(turn: Turn, tokens: number): Turn {
  let toDrop = tokens
  return turn.map((entry) => {
    if (entry.kind !== 'assistant') return entry
    const calls = entry.calls.map((call) => {
      const text = toDrop > 0 ? shortened(call.result.text) : call.result.text
      toDrop -= tokensIn(call.result.text) - tokensIn(text)
      return { ...call, result: { ...call.result, text } }
    })
    return { ...entry, calls }
  })
}

/** The beginning of a result; the fence around it stays closed. */
function shortened(text: string): string {
  const end = /\n?<\/data-[\w-]{1,64}>\s*$/.exec(text)?.[0].trim()
  const short = text.slice(0, keptCharacters).toWellFormed()
  const result = [short, ...(end ? [end] : []), cutMark].join('\n')
  return result.length < text.length ? result : text
}
