import type { Payload } from 'payload'
import { isSameValue } from '../../../core/cms/change.ts'
import { type Acting, asUser } from './acting.ts'
import { type Content, dataOf, stepsOf, write } from './content.ts'
import { fieldsOf, localesOf, type NamedField } from './field.ts'
import { mainOf, type Seen, shownIn } from './record.ts'

type Values = Record<string, unknown>

/** Thrown with the document that Payload was about to store, with all locales. */
class Rehearsed extends Error {
  readonly document: Values

  constructor(document: Values) {
    super('A rehearsal stores nothing')
    this.document = document
  }
}

const storing = new Set(
  'create updateOne createGlobal updateGlobal createVersion createGlobalVersion'.split(' '),
)
const silent = new Set(
  'beginTransaction deleteMany deleteOne deleteVersions updateVersion upsert updateMany'.split(' '),
)

/** Wraps an object so that `replace` can substitute its members. */
function replacing<T extends object>(object: T, replace: (name: string, present: unknown) => unknown): T {
  return new Proxy(object, {
    get: (target, name, receiver) => {
      const present: unknown = Reflect.get(target, name, receiver)
      return replace(String(name), present) ?? present
    },
  })
}

/**
 * Returns the site with a database that stores nothing: an operation runs its hooks and checks, and ends when it would
 * store something.
 */
function stageOf(payload: Payload): Payload {
  const stop = async ({ data, versionData }: { data?: Values; versionData?: Values }) => {
    throw new Rehearsed(versionData ?? data ?? {})
  }
  const db = replacing(payload.db, (name) => {
    if (storing.has(name)) return stop
    return silent.has(name) ? async () => null : undefined
  })
  const logger = replacing(payload.logger, (name, log) => {
    if (name !== 'error' || typeof log !== 'function') return undefined
    return (entry: { err?: unknown }, ...more: unknown[]) =>
      entry.err instanceof Rehearsed ? undefined : log.call(payload.logger, entry, ...more)
  })
  return Object.create(payload, { db: { value: db }, logger: { value: logger } }) as Payload
}

/**
 * Returns the record after a change, as the user would see it; a new record has the id 0. A value that hooks make anew
 * each time, such as the time of the change, stays as it is. That excludes values that the change names. Throws the
 * errors of Payload.
 */
export async function rehearse(acting: Acting, content: Content): Promise<Seen> {
  const { seen } = content
  const after = await rehearseOnce(acting, content)
  const isNew = (field: NamedField) => !isSameValue(shownIn(after, field), seen && shownIn(seen, field))
  const byHooks = unnamedIn(acting, content).filter(isNew)
  if (byHooks.length === 0) return after
  const again = await rehearseOnce(acting, content)
  for (const field of byHooks)
    if (!isSameValue(shownIn(after, field), shownIn(again, field)))
      setIn(after, field, seen && shownIn(seen, field))
  return after
}

/** Returns the fields that a change does not name. */
function unnamedIn({ payload }: Acting, { type, values }: Content): NamedField[] {
  const named = new Set(['_status', ...values.map(({ field }) => field.name)])
  return fieldsOf(payload, type).filter(({ name }) => !named.has(name))
}

async function rehearseOnce(acting: Acting, content: Content): Promise<Seen> {
  const stage = { ...acting, payload: stageOf(acting.payload) }
  const { type, seen, mode } = content
  const after: Seen = { type, id: seen?.id ?? 0, in: new Map(seen?.in) }
  const locales = localesOf(acting.payload)
  const [step = content] = stepsOf(acting, content)
  const others: [NamedField, unknown][] = []
  for (const part of dataOf(acting, step)) {
    const document = await write(stage, step, seen?.id, part).then(refuseStored, documentOf)
    const read: Seen = { ...after, in: new Map() }
    for (const locale of locales) read.in.set(locale, await readDocument(acting, after, locale, document))
    after.in.set(part.locale, read.in.get(part.locale) ?? {})
    // Rows that all locales share also change the values of the other locales.
    for (const field of seen ? unnamedIn(acting, content) : []) {
      const [value, before] = [shownIn(read, field), seen && shownIn(seen, field)]
      if (field.locale !== part.locale && !isSameValue(value, before)) others.push([field, value])
    }
  }
  for (const [field, value] of others) setIn(after, field, value)
  after.in.set(locales[0], { ...mainOf(after), ...(mode.status && { _status: mode.status }) })
  return after
}

function setIn({ in: all }: Seen, { path, locale }: NamedField, value: unknown): void {
  all.set(locale, withValue(all.get(locale) ?? {}, path, value))
}

/** Returns values with another value at a path. */
function withValue(values: Values, [name = '', ...rest]: string[], value: unknown): Values {
  return { ...values, [name]: rest.length === 0 ? value : withValue(Object(values[name]), rest, value) }
}

function refuseStored(): never {
  throw new Error('Payload stored a rehearsal')
}

function documentOf(error: unknown): Values {
  if (error instanceof Rehearsed) return error.document
  throw error
}

/** Returns the document as the user would read it in one locale. */
async function readDocument(
  acting: Acting,
  { type, id }: Pick<Seen, 'type' | 'id'>,
  locale: string | undefined,
  document: Values,
): Promise<Values> {
  const as = { ...(await asUser(acting, locale)), data: structuredClone(document) }
  const shown = type.isGlobal
    ? await acting.payload.findGlobal({ slug: type.slug, ...as })
    : await acting.payload.findByID({ collection: type.slug, id, disableErrors: true, ...as })
  return { ...shown }
}
