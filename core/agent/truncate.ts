import { isDeeper } from '../base/json.ts'
import type { ToolCall } from '../conversation/transcript/schema.ts'
import { maxIdLength } from '../model/model.ts'

/** Most bytes in the text of an answer, or in the arguments of one call. */
const maxAnswerBytes = 200_000
/** Most bytes in the text and calls of one reply: the row that holds them must stay below 400 KB. */
const maxReplyBytes = 380_000
/** Most levels of nesting in the arguments of a call; no tool takes more than a list in an object. */
const maxLevels = 32

/** The most calls of one reply that are kept: each takes a row for its result, and Stop writes those in one transaction. */
export const maxKeptCalls = 60
/** The most characters that the name of a call may have; no tool has a name that long. */
const maxNameLength = 200
/** Most characters in the ids of one reply. Some servers keep data in an id, which the next request must return. */
const maxIdCharacters = 100_000

/** Stands for arguments that are not kept. No tool knows the name, so that the call is answered with an error. */
const cutArguments = {
  truncated: 'The arguments were too long or too deeply nested and are not kept. Split the call.',
}

type Reply = { text: string; calls: ToolCall[] }

/** The reply as far as it may be stored; `isCut` where something of it was left out. */
export function bounded({ text, calls }: Reply): Reply & { isCut: boolean } {
  const kept = { text: cut(text), calls: [] as ToolCall[] }
  let room = maxReplyBytes - Buffer.byteLength(kept.text)
  let isCut = kept.text !== text || calls.length > maxKeptCalls
  const ids = calls.slice(0, maxKeptCalls).reduce((sum, { id }) => sum + id.length, 0)
  const idLength = ids > maxIdCharacters ? maxNameLength : maxIdLength
  for (const { id, name, arguments: args } of calls.slice(0, maxKeptCalls)) {
    const call = { id: id.slice(0, idLength), name: name.slice(0, maxNameLength), arguments: args }
    const isFlat = !isDeeper(args, maxLevels)
    const fits = isFlat && size(args) <= maxAnswerBytes && size(call) <= room
    const one = fits ? call : { ...call, arguments: cutArguments }
    kept.calls.push(one)
    room -= size(one)
    isCut ||= !fits
  }
  return { ...kept, isCut }
}

function cut(text: string): string {
  const bytes = Buffer.from(text)
  if (bytes.length <= maxAnswerBytes) return text
  return new TextDecoder().decode(bytes.subarray(0, maxAnswerBytes)).replace(/\uFFFD{1,3}$/, '')
}

const size = (value: unknown): number => Buffer.byteLength(JSON.stringify(value))
