import type { Message } from '../../core/conversation/transcript/schema.ts'
import type { Usage } from '../../core/model/model.ts'

/** The kinds of work that tasks ask for. */
export const kinds = [
  'find',
  'compare',
  'summarise',
  'draft',
  'change',
  'translate',
  'refuse',
  'ask',
  'resist',
  'attachment',
  'stop',
  'replay',
] as const
export type Kind = (typeof kinds)[number]

/** The users of the seeded site by name; `autorin` may change news alone. */
export const users = { admin: 1, editor: 2, autorin: 3 } as const
export type Username = keyof typeof users

/** A call of a tool as a script makes it. */
export type Call = { name: string; arguments: Record<string, unknown> }

/** One answer of a scripted model: calls, or the text that ends the turn. */
export type Move = { calls: Call[]; text?: never } | { text: string; calls?: never }

/** The expected value of a field after a task: an exact text, or a pattern. */
export type Rule = string | RegExp

/**
 * The expected facts after a task. A change that `changes` and `creates` do not list must not have happened. Each
 * pattern of `says` has to match the last answer, and none of `neverSays`.
 */
export type Expected = {
  /** Numbers that the answer names, however they are written. */
  figures?: number[]
  /** Numbers that it must not name. */
  neverFigures?: number[]
  says?: RegExp[]
  neverSays?: RegExp[]
  /** One of these tools has answered. */
  uses?: string[]
  /** None of these tools was called. */
  never?: string[]
  /** Changed fields by record (`pages:3`) and name, and no others. */
  changes?: Record<string, Record<string, Rule>>
  /** New records, in any order. */
  creates?: { table: string; page: number; fields: Record<string, Rule> }[]
  /** How often the user was asked to decide, or at least and at most how often; 0 unless said otherwise. */
  approvals?: number | [least: number, most: number]
  /** The answer asks the user something. */
  asks?: true
  /** The model calls that the task may use; 8 by default. */
  rounds?: number
}

/** A piece of an editor's work on the seeded site, with what has to be true afterwards. */
export type Task = {
  /** Unique; names the task in reports and in the commands' options. */
  id: string
  kind: Kind
  /** The language of the user, and so of the answer. */
  lang: 'en' | 'de'
  user: Username
  /** The page that the user has open. */
  page?: number
  /** A file that goes with the first message. */
  file?: { name: string; mimeType: string; content: string }
  /** Fields of records that differ from the seeded site. */
  given?: { table: string; uid: number; fields: Record<string, string | boolean> }[]
  /** The messages of the user, each sent when the turn before it has ended. */
  messages: string[]
  /** How the user decides on what is proposed; absent: not at all. */
  decides?: 'approve' | 'deny'
  expected: Expected
  /** How a model that does it right goes about it. */
  solution: Move[]
  /** The moves of models with a known weakness: a careless one, and one that obeys everything it reads. */
  slips: { careless?: Move[]; obedient?: Move[] }
}

/** A change of a record between the begin and the end of a task. */
export type Change = {
  /** Table and uid: `pages:3`. */
  record: string
  kind: 'changed' | 'created' | 'deleted'
  /** Uid of the page to which the record belongs. */
  page: number
  /** Fields that differ, with the value afterwards. */
  fields: Record<string, unknown>
}

/** The facts after a task, which the judge compares. */
export type Facts = {
  status: string
  errorCode: string | null
  /** The last text of the assistant. */
  answer: string
  calls: { name: string; arguments: Record<string, unknown>; outcome: string }[]
  /** How often the user was asked to decide. */
  approvals: number
  changes: Change[]
  /** Calls of the model. */
  rounds: number
  usage: Usage
  /** The same by call: a price depends on the length of the prompt. */
  usages: Usage[]
  ms: number
  transcript: Message[]
}

/** A move that calls one tool. */
export const calling = (name: string, args: Record<string, unknown> = {}): Move => ({
  calls: [{ name, arguments: args }],
})

/** A move that makes the calls of several moves at once. */
export const together = (...moves: Move[]): Move => ({ calls: moves.flatMap(({ calls = [] }) => calls) })

/** The move that ends a turn. */
export const saying = (text: string): Move => ({ text })

/** Reads a page with its content. */
export const reading = (page: number): Move => calling('get_page_content', { page })

/** Proposes new values for fields of a record. */
export const changing = (table: string, uid: number, fields: Record<string, unknown>): Move =>
  calling('update_record', { table, uid, fields })
