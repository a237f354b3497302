import { choice, item, number, optional, text, time } from '../../base/aws/item.ts'
import type { Key } from '../../base/aws/table.ts'
import { Reason, Verdict } from './schema.ts'

/** The stored form of feedback: an item beside its run, so that it is exported, erased and expires with the run. */
export const codec = item('feedback', 1, {
  verdict: choice('verdict', Verdict, 'notHelpful'),
  reason: optional(choice('reason', Reason, 'other')),
  words: text('words', ''),
  /** The id of the model that answered; empty if unknown. */
  model: text('model', ''),
  /** The version of the prompt that the model got; empty if unknown. */
  promptVersion: text('prompt_version', ''),
  at: time('at'),
  /** Seconds since the epoch, the same as its run; undefined: kept until the run is removed. */
  expiresAt: optional(number('expires_at')),
})

/** The sort key of feedback in the partition of its run. */
export const sortKey = 'feedback'
/** Key of the feedback on a run, by the partition of the run. */
export const key = (partition: string): Key => ({ pk: partition, sk: sortKey })
