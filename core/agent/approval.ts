import { hash } from '../base/hash.ts'
import { own } from '../base/json.ts'
import type { Versions } from '../cms/cms.ts'
import type { PendingCall, Preview } from '../conversation/schema.ts'

/**
 * Computes the digest of a proposal and the keys of its writes. The digest covers everything that the user saw, and the
 * versions of all records in it. So an approval can never apply to another proposal. A write key identifies one write
 * permanently.
 */

/** A proposal that waits for a decision: its run, its owner, and each call with the versions that its preview used. */
export type Shown = {
  runId: string
  /** The uid of the user in whose name the calls would run. */
  owner: number
  calls: PendingCall[]
  /** The versions of each call, by call id. */
  versions: Record<string, Versions>
  /** By call id: the hash of the write to send, or of the server and tool to call. */
  definitions: Record<string, string>
}

/**
 * Returns the digest of a proposal, 64 hex characters. The order of the calls matters; the order of keys in arguments
 * does not.
 */
export function digest({ runId, owner, calls, versions, definitions }: Shown): string {
  return hash({
    runId,
    owner,
    // Title, question and editable fields follow from the other parts, so the digest leaves them out.
    calls: calls.map(({ title: _, editable: __, question: ___, ...call }) => ({
      ...call,
      versions: own(versions, call.id) ?? [],
      definition: definitions[call.id],
    })),
  })
}

/**
 * The maximum number of characters in the changes of one call, before and after together: a person cannot judge more.
 */
const maxPreviewCharacters = 20_000
/** The maximum number of characters in the changes of a whole batch. */
export const maxBatchCharacters = 100_000

/**
 * Returns true if the changes can be shown completely. Otherwise the model must split the write. The limit applies to
 * the values before and after together, and separately to the originals of translations.
 */
export function fits({ changes }: Pick<Preview, 'changes'>, most = maxPreviewCharacters): boolean {
  const characters = (texts: (string | null)[]) => texts.reduce((sum, text) => sum + length(text), 0)
  return (
    characters(changes.flatMap(({ before, after }) => [before, after])) <= most &&
    characters(changes.map(({ original = null }) => original)) <= most
  )
}

/** Returns true if the arguments of a call can be shown completely. */
export function fitsArguments(args: Record<string, unknown>): boolean {
  return length(JSON.stringify(args)) <= maxPreviewCharacters
}

/** The maximum number of characters of a call id in the key of a write; a longer id is hashed. */
const maxKeyPart = 300

/** Returns the key under which the CMS does a write at most once; `wording` holds the user's own words. */
export function writeKey(
  runId: string,
  call: { id: string; arguments: Record<string, unknown> },
  wording?: Record<string, string>,
): string {
  // A table key holds at most 1,024 bytes, and some servers put data into their ids.
  const id = call.id.length > maxKeyPart ? hash(call.id) : call.id
  return `${runId}/${id}/${hash(wording ? { ...call.arguments, wording } : call.arguments)}`
}

function length(text: string | null): number {
  return text === null ? 0 : [...text].length
}
