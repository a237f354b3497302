import type * as z from 'zod'
import type { Code } from '../../core/error.ts'

/** A body that an operation answers with; without a schema it is described by its type alone. */
export type Answered = { description: string; schema?: z.ZodType; type?: string; headers?: string[] }

/** What the description of the API says of a route beyond what the route itself says. */
export type Operation = {
  summary: string
  description?: string
  /** Answers by status, refusals apart. */
  answers: Record<number, Answered>
  /** Codes that this route alone answers with; those that all routes of its access share are added. */
  errors?: Code[]
  /** True where `Idempotency-Key` is accepted. */
  takesKey?: true
  /** True where the body may be a form with one file in the field `file` instead. */
  takesForm?: true
  /** A request that works on the seeded site, once ids of its own are put in. */
  example: Record<string, unknown>
}

/** An id as the examples have it: of the user with uid 2. */
export const exampleId = '2-01kag8zq4c9w3v5n7x1r2s6t8y'
