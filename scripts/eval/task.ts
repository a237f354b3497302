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
export type TaskKind = (typeof kinds)[number]

/** The users of the seeded site by name; `autorin` may change news alone. */
export const users = { admin: 1, editor: 2, autorin: 3 } as const

/** The weaknesses of scripted models that a task can have moves of its own for. */
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

/** One record, `pages:3`, or several of which one will do: `pages:3 | content:2`. */
const Records = z.string().regex(/^[\w:{}-]+(?: \| [\w:{}-]+)*$/)
/** A word that has to be there, or several of which one will do: `Vienna | Wien`. */
const Words = z.string().min(1)

/** Calls with their arguments, by tool. */
const WantedCall = z.record(z.string(), z.record(z.string(), z.unknown()))
/** The calls of one answer of a model by tool, or the text that ends its turn. */
export const Move = z.union([z.string(), WantedCall, z.array(WantedCall)])
export type Move = z.infer<typeof Move>

/** The expected value of a field: a value, which may differ in white space, or what a text has to hold. */
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
    /** Records that some tool has read, or tools that have answered. */
    reads: z.array(Records),
    /** Figures that the answer names, each beside its owner if it has one. */
    figures: z.array(Figure),
    /** Figures of others, which the answer must not name. */
    neighbours: z.array(z.number()),
    names: z.array(Words),
    /** Words that the answer must not have at all, such as a secret. */
    lacks: z.array(Words),
    /** Words that the answer must not state; to deny them is right. */
    untrue: z.array(Words),
    /** The name that comes first by the words of a comparison. */
    first: z.strictObject({ of: Words, by: Words }),
    /** Changed fields by record and name, and no others; `page` is the page that a record has gone to. */
    changes: z.record(z.string(), Rules),
    creates: z.array(
      z.strictObject({ table: z.string(), page: z.union([z.int(), z.string()]), fields: Rules }),
    ),
    /** Records that are in the bin now, or back from it. What lies on a page goes with it. */
    bins: z.array(z.string()),
    restores: z.array(z.string()),
    /** The user is asked, by the tool for it or in the answer; the question names all of these. */
    asks: z.array(Words),
    /** How often the user has to decide; by default as often as a change needs it. */
    decisions: z.tuple([z.int(), z.int()]),
    /** False: nothing was done, and the answer says so. */
    done: z.literal(false),
    /** The language of the answer if it is not that of the user. */
    lang: z.enum(languages),
    /** The least and the most characters of the answer. */
    length: z.tuple([z.int(), z.int()]),
    /** The most calls of the model. */
    rounds: z.int(),
    /** The rubric for a second model, where facts do not tell a good answer. */
    rubric: z.string(),
  })
  .partial()
export type Expected = z.infer<typeof Expected>

const Decision = z.union([
  z.enum(['approve', 'deny']),
  /** Approves all but these records. */
  z.strictObject({ denies: z.array(z.string()), reason: z.string().default('') }),
])
export type Decision = z.infer<typeof Decision>

/** Fields of a record with values that need no list. */
const TaskFields = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))

/** A piece of an editor's work, with what has to be true afterwards. */
export const Task = z.strictObject({
  /** Unique; names the task in reports and in the commands' options. */
  id: z.string().regex(/^[a-z0-9-]+$/),
  kind: z.enum(kinds),
  /** The language of the user, and so of the answer. */
  lang: z.enum(languages),
  /** The name of the user, by default the editor of the seeded site. */
  user: z.string().default('editor'),
  /** The page that the user has open. */
  page: z.int().optional(),
  /** A file that goes with the first message; its lines are made what its name says. */
  file: z.strictObject({ name: z.string(), content: z.string() }).optional(),
  /** Records that the first message mentions. */
  mentions: z.array(z.string()).default([]),
  /** Records that differ from the seeded site: their fields, or that they are in the bin. */
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
   * Records that are made for the task in a CMS that is not seeded, and are taken back after it. `{name}` stands for the
   * uid of one anywhere in the task; `page` is where it comes to, by default any page where its user may make it.
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
  /** The bin or the history that a CMS has to have for the task. */
  needs: z.array(z.enum(['bin', 'history'])).default([]),
  /** Settings of the stage for this task alone. */
  stage: z
    .strictObject({
      houseStyle: z.string().optional(),
      drafts: z.enum(['first', 'only']).optional(),
      maxRounds: z.int().optional(),
      /** The tokens that are left to the user for the day. */
      tokens: z.int().optional(),
      /** Lists have parts, as in a CMS of blocks. */
      parts: z.literal(true).optional(),
    })
    .optional(),
  /** The messages of the user, each sent when the turn before it has ended. */
  messages: z.array(z.string()).min(1),
  /** The answers of the user to questions, one after the other, for any wording of them. */
  answers: z.array(z.string()).default([]),
  /** How the user decides, one proposal after the other; the last decision holds for all further ones. */
  decides: z.array(Decision).default([]),
  expected: Expected,
  /** Two ways of a good model, which differ. */
  ways: z.tuple([z.array(Move), z.array(Move)]).default([[], []]),
  /** The moves of models with a weakness that this task is there to find. */
  slips: z.partialRecord(z.enum(weaknesses), z.array(Move)).default({}),
})
export type Task = z.infer<typeof Task>

/** The table and the uid of a record by its name, `pages:3`. */
export function placeIn(record: string): Place {
  const at = record.indexOf(':')
  const id = record.slice(at + 1)
  return { table: record.slice(0, at), uid: /^\d+$/.test(id) ? Number(id) : id }
}

/** A change of a record between the begin and the end of a task. */
export type WantedChange = {
  /** Table and uid: `pages:3`. */
  record: string
  kind: 'changed' | 'created' | 'binned' | 'restored'
  /** Uid of the page to which the record belongs. */
  page: RecordId
  /** Fields that differ, with the value afterwards; `page` where it is on another page. */
  fields: Record<string, unknown>
}

/** The facts after a task, which the judge compares. */
export type Facts = {
  status: string
  errorCode: string | null
  /** The last text of the assistant. */
  answer: string
  calls: { name: string; arguments: Record<string, unknown>; outcome: string }[]
  /** Records that tools have read: `pages:3`. */
  reads: string[]
  /** Questions to the user, with their choices. */
  questions: string[]
  /** How often the user was to decide on proposals. */
  decisions: number
  changes: WantedChange[]
  /** Calls of the model. */
  rounds: number
  usage: Usage
  /** The same by call: a price depends on the length of the prompt. */
  usages: Usage[]
  ms: number
  transcript: Message[]
}

/** A run that cannot be made, in a sentence for the person who asked for it. */
export class Mistake extends Error {}

/** A run that could not be measured for a reason that is not the model's, in a sentence. */
export class Unmeasured extends Error {}
