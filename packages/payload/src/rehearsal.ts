import {
  afterReadTraverseFields,
  createOperation,
  type Payload,
  updateByIDOperation,
  updateOperationGlobal,
} from 'payload'
import { type Acting, requestOf } from './acting.ts'
import { type Content, dataOf, isEmptying } from './content.ts'
import { localesOf } from './field.ts'
import type { Seen } from './record.ts'
import type { RecordType } from './type.ts'

/** The document that Payload was about to store, all locales in one. */
class Rehearsed extends Error {
  readonly document: Record<string, unknown>

  constructor(document: Record<string, unknown>) {
    super('A rehearsal stores nothing')
    this.document = document
  }
}

const storing = new Set(
  'create updateOne createGlobal updateGlobal createVersion createGlobalVersion'.split(' '),
)
const removing = new Set('deleteMany deleteOne deleteVersions updateVersion upsert updateMany'.split(' '))

/** The site with a database that stores nothing: an operation runs until it would store, hooks and checks included. */
function stageOf(payload: Payload): Payload {
  const db = new Proxy(payload.db, {
    get(target, name, receiver) {
      if (storing.has(String(name)))
        return async ({ data, versionData }: Record<string, Record<string, unknown>>) => {
          throw new Rehearsed(versionData ?? data ?? {})
        }
      if (name === 'beginTransaction' || removing.has(String(name))) return async () => null
      return Reflect.get(target, name, receiver)
    },
  })
  const logger = new Proxy(payload.logger, {
    get(target, name, receiver) {
      const log: unknown = Reflect.get(target, name, receiver)
      if (name !== 'error' || typeof log !== 'function') return log
      return (entry: { err?: unknown }, ...more: unknown[]) => {
        if (!(entry.err instanceof Rehearsed)) log.call(target, entry, ...more)
      }
    },
  })
  return Object.create(payload, { db: { value: db }, logger: { value: logger } }) as Payload
}

/** The record as it would be after a change, as the user would see it; a new one has the id 0. Throws what Payload throws. */
export async function rehearse(acting: Acting, content: Content): Promise<Seen> {
  const payload = stageOf(acting.payload)
  const { type, seen, mode } = content
  const as: Content = isEmptying(acting, content)
    ? { ...content, mode: { draft: true, status: 'draft' } }
    : content
  const after: Seen = { type, id: seen?.id ?? 0, in: new Map(seen?.in) }
  for (const { locale, data } of dataOf(acting, as)) {
    const document = await captureDocument(payload, acting, as, locale, data)
    after.in.set(locale, await readDocument(acting, type, locale, document))
  }
  const [first] = localesOf(acting.payload)
  after.in.set(first, { ...after.in.get(first), ...(mode.status && { _status: mode.status }) })
  return after
}

async function captureDocument(
  payload: Payload,
  acting: Acting,
  { type, seen, mode }: Content,
  locale: string | undefined,
  data: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const as = {
    data: data as never,
    depth: 0,
    draft: mode.draft,
    overrideAccess: false,
    overrideLock: false,
    req: await requestOf({ payload, user: acting.user }, { locale }),
  }
  try {
    if (type.isGlobal) await updateOperationGlobal({ ...as, slug: type.slug, globalConfig: type.config })
    else {
      const collection = payload.collections[type.slug] as (typeof payload.collections)[string]
      if (seen) await updateByIDOperation({ ...as, collection, id: seen.id })
      else await createOperation({ ...as, collection })
    }
  } catch (error) {
    if (error instanceof Rehearsed) return error.document
    throw error
  }
  throw new Error('Payload stored a rehearsal')
}

/** The document as a read by the user would show it in one locale. */
async function readDocument(
  acting: Acting,
  type: RecordType,
  locale: string | undefined,
  document: Record<string, unknown>,
): Promise<Record<string, unknown>> {
  const doc = structuredClone(document)
  const fieldPromises: Promise<void>[] = []
  const populationPromises: Promise<void>[] = []
  const req = await requestOf(acting, { locale })
  afterReadTraverseFields({
    collection: type.isGlobal ? null : type.config,
    global: type.isGlobal ? type.config : null,
    fields: type.config.fields,
    context: req.context,
    currentDepth: 1,
    depth: 0,
    doc,
    siblingDoc: doc,
    draft: true,
    fallbackLocale: null as never,
    fieldPromises,
    populationPromises,
    findMany: false,
    flattenLocales: true,
    locale: locale ?? null,
    overrideAccess: false,
    parentIndexPath: '',
    parentIsLocalized: false,
    parentPath: '',
    parentSchemaPath: '',
    req,
    showHiddenFields: false,
  })
  while (fieldPromises.length + populationPromises.length > 0)
    await Promise.all([...fieldPromises.splice(0), ...populationPromises.splice(0)])
  return doc
}
