import type { Job } from '../../core/conversation/queue.ts'
import type { Side } from './edge.ts'

/** What a consumer in a process of its own needs to know, and when it dies. */
export type Life = {
  job: Job
  now: number
  tag: string
  journey: string
  at: number
  side: Exclude<Side, 'frozen'>
}
