import type { Payload } from 'payload'
import { type Acting, asUser } from './acting.ts'
import { type Content, dataOf, stepsOf, write } from './content.ts'
import { localesOf } from './field.ts'
import type { Seen } from './record.ts'

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
 * Returns the record after a change, as the user would see it; a new record has the id 0. Throws the errors of Payload.
 */
export async function rehearse(acting: Acting, content: Content): Promise<Seen> {
  const stage = { ...acting, payload: stageOf(acting.payload) }
  const { type, seen, mode } = content
  const after: Seen = { type, id: seen?.id ?? 0, in: new Map(seen?.in) }
  const [step = content] = stepsOf(acting, content)
  for (const part of dataOf(acting, step)) {
    const document = await write(stage, step, seen?.id, part).then(refuseStored, documentOf)
    after.in.set(part.locale, await readDocument(acting, after, part.locale, document))
  }
  const [first] = localesOf(acting.payload)
  after.in.set(first, { ...after.in.get(first), ...(mode.status && { _status: mode.status }) })
  return after
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
