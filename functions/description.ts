import type * as z from 'zod'
import type { Code } from '../core/error.ts'

/** The body of an answer; without a schema it is described by its media type alone. */
export type Answered = { description: string; schema?: z.ZodType; type?: string; headers?: string[] }

/** What a route says of itself to readers of the API. `npm run openapi` makes `docs/openapi.json` from it. */
export type Description = {
  summary: string
  description?: string
  /** Answers by status, refusals apart. */
  answers: Record<number, Answered>
  /** Codes of this route alone; those of its method and access are added. */
  errors?: Code[]
  /** True where `Idempotency-Key` is accepted. */
  takesKey?: true
  /** True where the body may be a form with one file in the field `file` instead. */
  takesForm?: true
  /** A request that works on the seeded site, once ids of its own are put in. */
  example: Record<string, unknown>
}

/** The conversation of the examples; its owner has the uid 2. */
export const exampleId = '2-01kag8zq4c9w3v5n7x1r2s6t8y'
