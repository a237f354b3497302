import { ToolError, VisibleError } from '../../base/error.ts'
import { type English, inLanguage } from '../../base/language.ts'
import type { RecordId } from '../../conversation/schema.ts'
import type { Denial } from './permission.ts'
import { explain, type Problem } from './value.ts'

type Code = 'record.notFound' | 'record.notAllowed' | 'request.invalid'

/** The sentences for the fields of a form, in the language of its reader. */
type Told = (lang: string) => Record<string, string>

/** A put that is refused before anything is written; `message` tells the model how to correct the call. */
export class Refused extends ToolError {
  // The members are private, so that a comparison or a print of the error leaves them out.
  readonly #code: Code
  readonly #told: Told | undefined

  constructor(message: string, code: Code, told?: Told) {
    super(message)
    this.#code = code
    this.#told = told
  }

  /** Returns the error for a person who edited the record in a form: the problem of each field. */
  inForm(lang: string): VisibleError {
    return new VisibleError(this.#code, this.#told && { fields: this.#told(lang) })
  }
}

/** Throws a refusal that no form of the backend can cause. */
export function refuse(sentence: string): never {
  throw new Refused(sentence, 'request.invalid', () => ({}))
}

const denials: English<Record<Exclude<Denial, 'missing'>, string>> = {
  en: {
    readOnly: 'Records of this table cannot be changed.',
    table: 'The groups of this user may not change records of this table. An administrator can allow it.',
    page: 'This user has no right to do that on this page. An administrator, or the owner of the page, can give it.',
    editlock: 'This is locked: only administrators may edit it.',
    language:
      'The groups of this user may not change records in this language. An administrator can allow it.',
  },
}

/**
 * Throws a refusal if there is a denial. The text is the same for a missing record and for one that the actor may not
 * see.
 */
export function denyFor({ table, uid }: { table: string; uid: RecordId | null }, denial: Denial | undefined) {
  if (!denial) return
  if (denial !== 'missing')
    throw new Refused(denials.en[denial], 'record.notAllowed', (lang) => ({
      record: inLanguage(denials, lang)[denial],
    }))
  const named = uid === null ? table : `${table} with uid ${uid}`
  throw new Refused(`There is no ${named}, or this user may not see it. Look it up first.`, 'record.notFound')
}

const fixed: English = { en: 'This field cannot be changed.' }

/** Throws a refusal for fields that cannot be changed; `sentence` is for the model. */
export function refuseFields(sentence: string, names: string[]): never {
  throw new Refused(sentence, 'request.invalid', (lang) =>
    Object.fromEntries(names.map((name) => [name, inLanguage(fixed, lang)])),
  )
}

/** Throws a refusal for values that are not allowed in their fields. */
export function refuseValues(problems: Record<string, Problem>): never {
  const told: Told = (lang) =>
    Object.fromEntries(Object.entries(problems).map(([name, problem]) => [name, explain(problem, lang)]))
  const lines = Object.entries(told('en')).map(([name, sentence]) => `${name}: ${sentence}`)
  throw new Refused(lines.join('\n'), 'request.invalid', told)
}
