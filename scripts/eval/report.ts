import * as z from 'zod'
import { redact } from '../../core/base/safety/redact.ts'
import { Message } from '../../core/conversation/transcript/schema.ts'
import { microDollarsOf } from '../../core/model/price.ts'
import type { Prices } from '../../core/stage/settings/schema.ts'
import { Verdict } from './judge.ts'
import { type Facts, kinds } from './task.ts'
import { languages } from './wording.ts'

/** The report of a run as JSON: the measured model, the result, and every attempt. */

const kindsOfTokens = ['input', 'output', 'cacheRead', 'cacheWrite'] as const

/** One attempt of a model at a task. Only a failed attempt and a recorded turn keep their transcript. */
export const AttemptReport = z.object({
  task: z.string(),
  repeat: z.int(),
  at: z.iso.datetime(),
  /** The faults that the judge found; empty if the attempt passed. */
  faults: z.array(z.string()),
  /**
   * The verdict of a second model by a rubric; null if it was not asked. This verdict does not decide if the attempt
   * has passed.
   */
  opinion: Verdict.nullable(),
  rounds: z.int(),
  approvals: z.int(),
  usage: z.record(z.enum(kindsOfTokens), z.number()),
  /** Millionths of a dollar; null if the model has no prices. */
  microDollars: z.number().nullable(),
  ms: z.int(),
  tools: z.array(z.string()),
  answer: z.string(),
  /** The figures and quotations that the product has marked in the answers: not read, or without a source. */
  marks: z.array(z.string()).optional(),
  transcript: z.array(Message).nullable(),
})
export type AttemptReport = z.infer<typeof AttemptReport>

type AttemptFacts = Pick<Facts, 'rounds' | 'decisions' | 'usages' | 'ms' | 'answer' | 'transcript'> & {
  calls: { name: string }[]
}

/** Returns the report of an attempt from its facts and its verdict, with credentials redacted. */
export function attemptOf(
  verdict: Pick<AttemptReport, 'task' | 'repeat' | 'faults' | 'opinion'>,
  { rounds, decisions, usages, ms, calls, answer, transcript }: AttemptFacts,
  prices: Prices | null,
): AttemptReport {
  const usage = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 }
  for (const call of usages) for (const name of kindsOfTokens) usage[name] += call[name]
  const isFailed = verdict.faults.length > 0
  return {
    ...verdict,
    at: new Date().toISOString(),
    rounds,
    approvals: decisions,
    usage,
    microDollars: microDollarsOf(usages, prices),
    ms,
    tools: calls.map(({ name }) => name),
    answer: redact(answer),
    marks: transcript.flatMap(({ unread = [], unsupported = [] }) => [...unread, ...unsupported]),
    transcript: isFailed ? (JSON.parse(redact(JSON.stringify(transcript))) as Message[]) : null,
  }
}

/** The subject of a measurement: a model with its settings and its prompt. */
export const About = z.object({
  name: z.string(),
  provider: z.string(),
  model: z.string(),
  effort: z.string().nullable(),
  thinking: z.string().nullable(),
  maxTokens: z.int(),
  /** The person who agreed to the replay of recorded turns, and the date; null without recorded turns. */
  consent: z.string().nullable(),
  /** The release of this product. */
  release: z.string(),
  /**
   * The hash of everything that the model got, the tasks and the judge. Only attempts with the same digest can be
   * combined.
   */
  digest: z.string(),
})
export type About = z.infer<typeof About>

const Figures = z.object({
  attempts: z.int(),
  passed: z.int(),
  rate: z.number(),
  /** The Wilson interval of the pass rate at 95 % confidence. */
  interval: z.tuple([z.number(), z.number()]),
  /** Averages per attempt. */
  tokens: z.number(),
  microDollars: z.number().nullable(),
  ms: z.number(),
  rounds: z.number(),
})
export type Figures = z.infer<typeof Figures>

const TaskAbout = z.object({
  id: z.string(),
  kind: z.enum(kinds),
  lang: z.enum(languages),
  messages: z.array(z.string()),
})

/** A whole run. */
export const Report = z.object({
  version: z.literal(2),
  at: z.iso.datetime(),
  about: About,
  repeats: z.int(),
  summary: Figures,
  kinds: z.record(z.string(), Figures),
  tasks: z.array(TaskAbout.extend({ figures: Figures, attempts: z.array(AttemptReport) })),
})
export type Report = z.infer<typeof Report>

/** Returns the figures of attempts, which may belong to one task, to a kind or to all tasks. */
export function figuresOf(attempts: AttemptReport[]): Figures {
  const passed = attempts.filter(({ faults }) => faults.length === 0).length
  const mean = (of: (attempt: AttemptReport) => number) =>
    attempts.length === 0 ? 0 : attempts.reduce((sum, attempt) => sum + of(attempt), 0) / attempts.length
  const isPriced = attempts.some(({ microDollars }) => microDollars !== null)
  return {
    attempts: attempts.length,
    passed,
    rate: attempts.length === 0 ? 0 : passed / attempts.length,
    interval: wilson(passed, attempts.length),
    tokens: mean(({ usage }) => usage.input + usage.output),
    microDollars: isPriced ? mean(({ microDollars }) => microDollars ?? 0) : null,
    ms: mean(({ ms }) => ms),
    rounds: mean(({ rounds }) => rounds),
  }
}

/** Returns the report of the attempts at these tasks. */
export function reportOf(
  about: About,
  tasks: readonly z.infer<typeof TaskAbout>[],
  attempts: AttemptReport[],
  { at, repeats }: { at: string; repeats: number },
): Report {
  const of = (id: string) => attempts.filter(({ task }) => task === id)
  const ofKind = (kind: string) => tasks.filter((task) => task.kind === kind).flatMap(({ id }) => of(id))
  const found = kinds.filter((kind) => tasks.some((task) => task.kind === kind))
  return {
    version: 2,
    at,
    about,
    repeats,
    summary: figuresOf(attempts),
    kinds: Object.fromEntries(found.map((kind) => [kind, figuresOf(ofKind(kind))])),
    tasks: tasks.map(({ id, kind, lang, messages }) => {
      const attempts = of(id)
      return { id, kind, lang, messages, figures: figuresOf(attempts), attempts }
    }),
  }
}

/** Returns the ids of the tasks that most attempts of the baseline passed, and most attempts of this run failed. */
export function regressions(report: Report, baseline: Report): string[] {
  const before = new Map(baseline.tasks.map(({ id, figures }) => [id, figures.rate]))
  return report.tasks
    .filter(({ id, figures }) => figures.attempts > 0 && figures.rate <= 0.5 && (before.get(id) ?? 0) > 0.5)
    .map(({ id }) => id)
}

/** Returns the improvement of each kind over the baseline, among the kinds that both contain. */
export function differences(report: Report, baseline: Report): Record<string, Difference> {
  return Object.fromEntries(
    Object.entries(report.kinds).flatMap(([kind, figures]) => {
      const before = baseline.kinds[kind]
      return before ? [[kind, difference(figures, before)]] : []
    }),
  )
}

/** The normal quantile for a confidence of 95 %. */
const quantile = 1.96

/**
 * Returns the Wilson interval of a rate at 95 % confidence, from 0 to 1. Unlike the normal interval it is valid for few
 * attempts and for rates of 0 and 1. Without attempts it is 0 to 1.
 */
export function wilson(passed: number, attempts: number): [low: number, high: number] {
  if (attempts === 0) return [0, 1]
  const rate = passed / attempts
  const spread = quantile ** 2 / attempts
  const middle = (rate + spread / 2) / (1 + spread)
  const half = (quantile * Math.sqrt((rate * (1 - rate)) / attempts + spread / (4 * attempts))) / (1 + spread)
  return [Math.max(0, middle - half), Math.min(1, middle + half)]
}

/**
 * The difference of two rates, with its interval at 95 % confidence; `isClear` is true if the interval does not contain
 * 0.
 */
type Difference = { by: number; interval: [low: number, high: number]; isClear: boolean }

/** Returns the first rate minus the second, with Newcombe's interval from two Wilson intervals. */
function difference(one: Figures, other: Figures): Difference {
  const by = one.rate - other.rate
  const [[oneLow, oneHigh], [otherLow, otherHigh]] = [one.interval, other.interval]
  const low = by - Math.hypot(one.rate - oneLow, otherHigh - other.rate)
  const high = by + Math.hypot(oneHigh - one.rate, other.rate - otherLow)
  return { by, interval: [low, high], isClear: low > 0 || high < 0 }
}
