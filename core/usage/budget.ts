import { VisibleError } from '../error.ts'
import type { Used } from './sum.ts'

/** The rules of the daily budget: tokens per user and UTC day. */

const dayMs = 24 * 60 * 60_000

/** The UTC day of a moment, `YYYY-MM-DD`. */
export function dayOf(now: number): string {
  return new Date(now).toISOString().slice(0, 10)
}

/** Milliseconds until the next midnight UTC, when the budget is new. Never 0. */
export function untilMidnight(now: number): number {
  return dayMs - (now % dayMs)
}

/** What a user reads whose budget is used up; says when it is possible again. */
export function budgetSpent(now: number): VisibleError {
  return new VisibleError('user.budgetSpent', { retryAfterMs: untilMidnight(now) })
}

/** What users read while the tokens of the whole stage are used up. */
export function stageSpent(now: number): VisibleError {
  return new VisibleError('stage.budgetSpent', { retryAfterMs: untilMidnight(now) })
}

/** What counts against the budget of an answer: all that was read and written, cached or not. */
export function tokensOf({ input, output }: Pick<Used, 'input' | 'output'>): number {
  return input + output
}
