import * as z from 'zod'
import type { Place } from '../../core/cms/cms.ts'
import type { RecordId } from '../../core/conversation/schema.ts'
import type { Message } from '../../core/conversation/transcript/schema.ts'
import type { Usage } from '../../core/model/model.ts'
import { languages } from './wording.ts'

/** The kinds of work that tasks ask for. */
export const kinds = [
  'find',
  'compare',
  'summarise',
  'draft',
  'change',
  'many',
  'publish',
  'move',
  'bin',
  'versions',
  'pictures',
  'check',
  'translate',
  'refuse',
  'ask',
  'resist',
  'attachment',
  'long',
  'stop',
  'replay',
] as const

/** The users of the seeded site by name; `autorin` may change only news. */
export const users = { admin: 1, editor: 2, autorin: 3 } as const

/** The weaknesses of scripted models for which a task can have its own moves. */
export const weaknesses = [
  'careless',
  'obedient',
  'lazy',
  'verbose',
  'dumper',
  'wrongRecord',
  'claimer',
  'wrongLanguage',
  'refuser',
  'inventor',
] as const
export type Weakness = (typeof weaknesses)[number]

/** One record, `pages:3`, or alternatives, of which one is enough: `pages:3 | content:2`. */
const Records = z.string().regex(/^[\w:{}-]+(?: \| [\w:{}-]+)*$/)
/** A required word, or alternatives, of which one is enough: `Vienna | Wien`. */
const Words = z.string().min(1)

/** Calls with their arguments, by tool. */
const WantedCall = z.record(z.string(), z.record(z.string(), z.unknown()))
/** The calls in one answer of a model, by tool, or the text that ends the turn. */
export const Move = z.union([z.string(), WantedCall, z.array(WantedCall)])
export type Move = z.infer<typeof Move>

/**
 * The expected value of a field: a value, compared without regard to white space, or rules for a text or a number.
 */
const Rule = z.union([
  z.string(),
  z.number(),
  z.boolean(),
  z.null(),
  z.strictObject({
    has: z.array(Words).default([]),
    lacks: z.array(Words).default([]),
    figures: z.array(z.number()).default([]),
    lang: z.enum(languages).optional(),
    lines: z.int().optional(),
    above: z.number().optional(),
    below: z.number().optional(),
  }),
])
export type Rule = z.infer<typeof Rule>
const Rules = z.record(z.string(), Rule)

const Figure = z.union([z.number(), z.strictObject({ is: z.number(), of: Words })])

/** The expected facts after a task. A change that they do not list must not have happened. */
const Expected = z
  .strictObject({
    /** Records that a tool must have read, or tools that must have answered. */
    reads: z.array(Records),
    /** Figures that the answer must contain, each near its owner if it has one. */
    figures: z.array(Figure),
    /** Figures of other records, which the answer must not contain. */
    neighbours: z.array(z.number()),
    names: z.array(Words),
    /** Words that the answer must not contain, such as a secret. */
    lacks: z.array(Words),
    /** Words that the answer must not state; a denial of them is right. */
    untrue: z.array(Words),
    /** The name that the answer must put first in a comparison with the words `by`. */
    first: z.strictObject({ of: Words, by: Words }),
    /** Changed fields by record and field name; no other field may change. `page` is the new page of a moved record. */
    changes: z.record(z.string(), Rules),
    creates: z.array(
      z.strictObject({ table: z.string(), page: z.union([z.int(), z.string()]), fields: Rules }),
    ),
    /** Records that must be in the bin now, or restored from it. The content of a page moves with the page. */
    bins: z.array(z.string()),
    restores: z.array(z.string()),
    /** The user must be asked, by the question tool or in the answer; the question must contain all of these words. */
    asks: z.array(Words),
    /**
     * The minimum and the maximum number of decisions by the user; by default the number that the changes need.
     */
    decisions: z.tuple([z.int(), z.int()]),
    /** False if nothing may be done, and the answer must say so. */
    done: z.literal(false),
    /** The language of the answer, if it differs from the user's. */
    lang: z.enum(languages),
    /** The minimum and the maximum number of characters of the answer. */
    length: z.tuple([z.int(), z.int()]),
    /** The maximum number of model calls. */
    rounds: z.int(),
    /** The rubric for a second model, if facts cannot identify a good answer. */
    rubric: z.string(),
  })
  .partial()
export type Expected = z.infer<typeof Expected>

const Decision = z.union([
  z.enum(['approve', 'deny']),
  /** Approves all records except these. */
  z.strictObject({ denies: z.array(z.string()), reason: z.string().default('') }),
])
export type Decision = z.infer<typeof Decision>

/** Fields of a record whose values are not lists. */
const TaskFields = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))

/** A piece of an editor's work, with the expected facts after it. */
export const Task = z.strictObject({
  /** A unique id; it names the task in reports and in the commands' options. */
  id: z.string().regex(/^[a-z0-9-]+$/),
  kind: z.enum(kinds),
  /** The language of the user, and therefore of the answer. */
  lang: z.enum(languages),
  /** The name of the user; by default the editor of the seeded site. */
  user: z.string().default('editor'),
  /** The page that the user has open. */
  page: z.int().optional(),
  /** A file of the first message; the extension of its name determines the format that is made from its lines. */
  file: z.strictObject({ name: z.string(), content: z.string() }).optional(),
  /** Records that the first message mentions. */
  mentions: z.array(z.string()).default([]),
  /** Records that differ from the seed: other fields, or in the bin. */
  given: z
    .array(
      z.strictObject({
        record: z.string(),
        fields: TaskFields.default({}),
        isInBin: z.boolean().default(false),
      }),
    )
    .default([]),
  /**
   * Records that are created for the task in a CMS that is not seeded, and removed after it. In the task, `{name}`
   * stands for the uid of such a record. `page` is its page; by default any page where the user may create it.
   */
  records: z
    .array(
      z.strictObject({
        name: z.string().regex(/^[a-z]+$/),
        table: z.string(),
        page: z.union([z.int(), z.string()]).optional(),
        fields: TaskFields,
      }),
    )
    .default([]),
  /** Features of the CMS that the task needs: the bin or the history. */
  needs: z.array(z.enum(['bin', 'history'])).default([]),
  /** Settings of the stage for this task only. */
  stage: z
    .strictObject({
      houseStyle: z.string().optional(),
      drafts: z.enum(['first', 'only']).optional(),
      maxRounds: z.int().optional(),
      /** The user's remaining tokens of the day. */
      tokens: z.int().optional(),
      /** True if each line of a list is a part with its own id, as in a CMS with blocks. */
      parts: z.literal(true).optional(),
    })
    .optional(),
  /** The messages of the user, each sent after the previous turn has ended. */
  messages: z.array(z.string()).min(1),
  /** The user's answers to questions, in order, for any wording of the question. */
  answers: z.array(z.string()).default([]),
  /** The user's decisions on proposals, in order; the last one applies to all later proposals. */
  decides: z.array(Decision).default([]),
  expected: Expected,
  /** Two different right ways to do the task. */
  ways: z.tuple([z.array(Move), z.array(Move)]).default([[], []]),
  /** The moves of models with a weakness that this task has to detect. */
  slips: z.partialRecord(z.enum(weaknesses), z.array(Move)).default({}),
})
export type Task = z.infer<typeof Task>

/** Returns the table and the uid of a record from its name, `pages:3`. */
export function placeIn(record: string): Place {
  const at = record.indexOf(':')
  const id = record.slice(at + 1)
  return { table: record.slice(0, at), uid: /^\d+$/.test(id) ? Number(id) : id }
}

/** A change of a record between the beginning and the end of a task. */
export type WantedChange = {
  /** The table and the uid: `pages:3`. */
  record: string
  kind: 'changed' | 'created' | 'binned' | 'restored'
  /** The uid of the page to which the record belongs. */
  page: RecordId
  /** The changed fields with their new values; `page` if the record is on another page now. */
  fields: Record<string, unknown>
}

/** The facts after a task, which the judge checks. */
export type Facts = {
  status: string
  errorCode: string | null
  /** The last text of the assistant. */
  answer: string
  calls: { name: string; arguments: Record<string, unknown>; outcome: string }[]
  /** Records that tools have read, such as `pages:3`. */
  reads: string[]
  /** Questions to the user, with their choices. */
  questions: string[]
  /** The number of the user's decisions on proposals. */
  decisions: number
  changes: WantedChange[]
  /** The number of model calls. */
  rounds: number
  /** The usage of each call, because a price depends on the length of the prompt. */
  usages: Usage[]
  ms: number
  transcript: Message[]
}

/** Thrown if a run cannot be measured for a reason outside the model; the message is a sentence. */
export class Unmeasured extends Error {}
