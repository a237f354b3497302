import { hash } from '../base/hash.ts'
import { own } from '../base/json.ts'
import type { Versions } from '../cms/cms.ts'
import type { PendingCall, Preview } from '../conversation/schema.ts'

/**
 * The subject of a decision. The digest covers everything that the user saw and every version that it was computed
 * from, so that an approval can never apply to another proposal. A write key identifies one write permanently.
 */

/** A proposal that waits for a decision: its run, its owner, and each call with the versions behind its preview. */
export type Shown = {
  runId: string
  /** uid of the user in whose name the calls would run. */
  owner: number
  calls: PendingCall[]
  /** By call id. */
  versions: Record<string, Versions>
  /** By call id: hash of the put that is sent, or which tool of which server is called. */
  definitions: Record<string, string>
}

/** The digest of a proposal, 64 hex characters. The order of its calls counts, that of keys in arguments does not. */
export function digest({ runId, owner, calls, versions, definitions }: Shown): string {
  return hash({
    runId,
    owner,
    // Title, question and editable fields follow from the rest.
    calls: calls.map(({ title: _, editable: __, question: ___, ...call }) => ({
      ...call,
      versions: own(versions, call.id) ?? [],
      definition: definitions[call.id],
    })),
  })
}

/** Most characters in the changes of one call, before and after together: a person cannot judge more. */
const maxPreviewCharacters = 20_000
/** Most characters in the changes of a whole batch. */
export const maxBatchCharacters = 100_000

/**
 * True when the changes can be shown whole. The model must split a write whose changes cannot. The originals of
 * translations may have as many characters again.
 */
export function fits({ changes }: Pick<Preview, 'changes'>, most = maxPreviewCharacters): boolean {
  const characters = (texts: (string | null)[]) => texts.reduce((sum, text) => sum + length(text), 0)
  return (
    characters(changes.flatMap(({ before, after }) => [before, after])) <= most &&
    characters(changes.map(({ original = null }) => original)) <= most
  )
}

/** True when the arguments of a call can be shown whole. */
export function fitsArguments(args: Record<string, unknown>): boolean {
  return length(JSON.stringify(args)) <= maxPreviewCharacters
}

/** Most characters of an id in the key of a write. */
const maxKeyPart = 300

/** The key under which the CMS does a write at most once; `wording` has the words that the user put in. */
export function writeKey(
  runId: string,
  call: { id: string; arguments: Record<string, unknown> },
  wording?: Record<string, string>,
): string {
  // The key of an item holds 1,024 bytes, and some servers keep data in their ids.
  const id = call.id.length > maxKeyPart ? hash(call.id) : call.id
  return `${runId}/${id}/${hash(wording ? { ...call.arguments, wording } : call.arguments)}`
}

function length(text: string | null): number {
  return text === null ? 0 : [...text].length
}
