import { hash } from '../base/hash.ts'
import { isDeeper, jsonBytes } from '../base/json.ts'
import type { ToolCall } from '../conversation/transcript/schema.ts'
import { maxIdLength } from '../model/model.ts'
import { cutBytes } from '../tool/result.ts'

/** The maximum size of the text of an answer, or of the arguments of one call, in bytes. */
const maxAnswerBytes = 200_000
/** The maximum size of the text and calls of one reply, in bytes. The row that stores them must stay below 400 KB. */
const maxReplyBytes = 380_000
/** The maximum number of nested levels in the arguments of a call; no tool needs more than a list in an object. */
const maxLevels = 32

/**
 * The maximum number of calls that are kept of one reply. Each call needs a row for its result. A stop by the user
 * writes all these rows in one transaction.
 */
export const maxKeptCalls = 60
/**
 * The maximum number of characters of the tool name in a call; every tool's name is shorter. A longer id is stored
 * beside its hash, because a proposal names up to 200 records by the id.
 */
const maxNameLength = 200
/**
 * The maximum number of characters of all ids in one reply. Some servers put data into an id, which the next request
 * must return.
 */
const maxIdCharacters = 100_000

/** The words for a model whose arguments are not kept. */
export const tooLong = 'The arguments were too long or too deeply nested and are not kept. Split the call.'
/** Replaces arguments that are not kept. No tool accepts the field, so the call gets an error as its result. */
const cutArguments = { truncated: tooLong }

type Reply = { text: string; calls: ToolCall[] }

/** Returns the part of a reply that may be stored; `isCut` is true if something was left out. */
export function boundReply({ text, calls }: Reply): Reply & { isCut: boolean } {
  const kept = { text: cutBytes(text, maxAnswerBytes), calls: [] as ToolCall[] }
  let room = maxReplyBytes - Buffer.byteLength(kept.text)
  let isCut = kept.text !== text || calls.length > maxKeptCalls
  const ids = calls.slice(0, maxKeptCalls).reduce((sum, { id }) => sum + id.length, 0)
  const idLength = ids > maxIdCharacters ? maxNameLength : maxIdLength
  for (const { id, name, arguments: args } of calls.slice(0, maxKeptCalls)) {
    const given = id.slice(0, idLength)
    const named = given.length > maxNameLength ? { id: hash(given), given } : { id: given }
    const call = { ...named, name: name.slice(0, maxNameLength), arguments: args }
    const fits = isStorable(args) && jsonBytes(call) <= room
    const one = fits ? call : { ...call, arguments: cutArguments }
    kept.calls.push(one)
    room -= jsonBytes(one)
    isCut ||= !fits
  }
  return { ...kept, isCut }
}

/** True if the arguments of a call are small and flat enough to be stored. */
export const isStorable = (args: ToolCall['arguments']): boolean =>
  !isDeeper(args, maxLevels) && jsonBytes(args) <= maxAnswerBytes
