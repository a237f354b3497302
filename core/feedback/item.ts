import { choice, item, number, optional, text, time } from '../aws/item.ts'
import type { Key } from '../aws/table.ts'
import { Reason, Verdict } from './schema.ts'

/** How feedback is stored: an item beside the run that it is about, so that it is exported, erased and expires with it. */
export const codec = item('feedback', 1, {
  verdict: choice('verdict', Verdict, 'notHelpful'),
  reason: optional(choice('reason', Reason, 'other')),
  words: text('words', ''),
  /** Id of the model that answered; empty where it is not known. */
  model: text('model', ''),
  /** Names the prompt that the model got; empty where it is not known. */
  promptVersion: text('prompt_version', ''),
  at: time('at'),
  /** Seconds since the epoch, as the run; undefined: kept until the run is removed. */
  expiresAt: optional(number('expires_at')),
})

/** The sort key of feedback in the partition of its run. */
export const sortKey = 'feedback'
/** Key of the feedback on a run, by the partition of the run. */
export const key = (partition: string): Key => ({ pk: partition, sk: sortKey })
