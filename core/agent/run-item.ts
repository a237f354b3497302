import * as z from 'zod'
import type { Key, Row } from '../aws/table.ts'

/**
 * The stored form of a run: the run row, an item per step and an item per write that was intended, all in one partition
 * that names the owner. What callers put in (details, outcomes) lies there as JSON text, so that no number or depth
 * that a model comes up with can be refused by the table.
 */

const Usage = z.object({
  input: z.number(),
  output: z.number(),
  cacheRead: z.number(),
  cacheWrite: z.number(),
})

const Json = z.string().transform((text): unknown => JSON.parse(text))

const StoredRun = z
  .object({
    be_user: z.number(),
    run_id: z.string(),
    conversation_id: z.string(),
    started_at: z.string(),
    expires_at: z.number().optional(),
    input_tokens: z.number().default(0),
    output_tokens: z.number().default(0),
    cache_read_tokens: z.number().default(0),
    cache_write_tokens: z.number().default(0),
  })
  .transform((row) => ({
    owner: row.be_user,
    runId: row.run_id,
    conversationId: row.conversation_id,
    startedAt: row.started_at,
    /** Seconds since the epoch; undefined: kept until it is removed. */
    expiresAt: row.expires_at,
    /** Sum over the steps. */
    usage: {
      input: row.input_tokens,
      output: row.output_tokens,
      cacheRead: row.cache_read_tokens,
      cacheWrite: row.cache_write_tokens,
    },
  }))

/** One turn's work, from its first model call to its end, pauses included. */
export type Run = z.infer<typeof StoredRun>

const StoredStep = z
  .object({ number: z.number(), at: z.string(), detail: Json.pipe(z.record(z.string(), z.unknown())) })
  .transform(({ number, at, detail }) => ({ number, at, detail }))

/** A step as it was recorded: redacted, values beyond the cap cut. */
export type Step = z.infer<typeof StoredStep>

const StoredIntent = z
  .object({
    key: z.string(),
    call_id: z.string(),
    tool: z.string(),
    at: z.string(),
    outcome: Json.optional(),
  })
  .transform(({ key, call_id, tool, at, outcome }) => ({ key, callId: call_id, tool, at, outcome }))

/** A write that was begun; `outcome` is undefined as long as nobody knows how it ended. */
export type Intent = z.infer<typeof StoredIntent>

type Place = Pick<Run, 'owner' | 'runId'>

/** The partition of a run and all that belongs to it. */
export const partition = ({ owner, runId }: Place) => `run#${owner}#${runId}`
/** Key of a run. */
export const runKey = (run: Place): Key => ({ pk: partition(run), sk: 'run' })
/** Key of a step of a run; steps sort by their number. */
export const stepKey = (run: Place, number: number): Key => ({
  pk: partition(run),
  sk: `step#${String(number).padStart(6, '0')}`,
})
/** Key of the intent of a write. */
export const intentKey = (run: Place, key: string): Key => ({ pk: partition(run), sk: `intent#${key}` })

/** The run of a row. */
export const decodeRun = (row: Row): Run => StoredRun.parse(row)
/** The step of a row. */
export const decodeStep = (row: Row): Step => StoredStep.parse(row)
/** The intent of a row. */
export const decodeIntent = (row: Row): Intent => StoredIntent.parse(row)

/** The row of a new run. */
export function encodeRun(run: Omit<Run, 'usage'>): Row & Key {
  return {
    ...runKey(run),
    be_user: run.owner,
    run_id: run.runId,
    conversation_id: run.conversationId,
    started_at: run.startedAt,
    expires_at: run.expiresAt,
  }
}

/** The counters of the run row that a model call's usage adds to. */
export function counters(usage: z.infer<typeof Usage>): Row {
  return {
    input_tokens: usage.input,
    output_tokens: usage.output,
    cache_read_tokens: usage.cacheRead,
    cache_write_tokens: usage.cacheWrite,
  }
}

/** The usage that a step's detail carries, if it carries one. */
export function usageOf(detail: Record<string, unknown>): z.infer<typeof Usage> | undefined {
  const parsed = Usage.safeParse(detail.usage)
  return parsed.success ? parsed.data : undefined
}
