import { dayMs } from '../../base/clock.ts'
import { VisibleError } from '../../base/error.ts'
import type { Used } from './sum.ts'

/** The rules of the daily budget: tokens per user and UTC day. */

/** Returns the UTC day of a moment, `YYYY-MM-DD`. */
export const dayOf = (now: number): string => new Date(now).toISOString().slice(0, 10)

/** Returns the milliseconds until the next midnight UTC, when a new budget begins. Never 0. */
export const untilMidnight = (now: number): number => dayMs - (now % dayMs)

/** True once the tokens used today reach the limit of the day, of a user or of the stage; null is no limit. */
export const isSpent = (daily: number | null, used: number): boolean => daily !== null && used >= daily

/** Returns the error for a user whose budget is used up, with the time until the next one begins. */
export function budgetSpent(now: number): VisibleError {
  return new VisibleError('user.budgetSpent', { retryAfterMs: untilMidnight(now) })
}

/** Returns the error for all users while the tokens of the whole stage are used up. */
export function stageSpent(now: number): VisibleError {
  return new VisibleError('stage.budgetSpent', { retryAfterMs: untilMidnight(now) })
}

/** Returns the tokens of an answer that count against the budget: input and output, cached or not. */
export const tokensOf = ({ input, output }: Pick<Used, 'input' | 'output'>): number => input + output
