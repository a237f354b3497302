import type { Payload, SanitizedCollectionConfig, SanitizedGlobalConfig } from 'payload'
import type { RecordId } from '../../../core/conversation/schema.ts'
import type { AiChatOptions } from './options.ts'

/** A collection or a global as a type of the bridge. A global has one record, with the uid 1. */
export type RecordType = { name: string; slug: string; label: string; hasDrafts: boolean } & (
  | { isGlobal: false; config: SanitizedCollectionConfig }
  | { isGlobal: true; config: SanitizedGlobalConfig }
)

type TypesOfSite = { types: RecordType[]; options: AiChatOptions }

/** A type that is a collection. */
export type Collection = Extract<RecordType, { isGlobal: false }>

/** True if the records of a type are files. */
export const isUpload = (type: RecordType): type is Collection =>
  !type.isGlobal && Boolean(type.config.upload)

/** The prefix of the slugs of this plugin's collections. */
export const ownPrefix = 'ai-chat-'
/** The slugs of collections that the assistant never knows: the collections of Payload and of this plugin. */
const internal = new RegExp(`^(payload-|${ownPrefix})`)
/** The slugs that the bridge can name. */
const nameable = /^[A-Za-z_][A-Za-z0-9_-]{0,55}$/

/**
 * Returns the types that the assistant knows on this site. Collections with a login are left out unless `only` names
 * them.
 */
export function typesOf({ config }: Payload, { only, except = [] }: AiChatOptions): RecordType[] {
  const isKnown = (slug: string, isByDefault: boolean) =>
    nameable.test(slug) && !except.includes(slug) && (only ? only.includes(slug) : isByDefault)
  const typeOf = (config: RecordType['config'], isGlobal: boolean, label: unknown) =>
    ({
      isGlobal,
      config,
      name: isGlobal ? `global.${config.slug}` : config.slug,
      slug: config.slug,
      label: textOf(label) || config.slug,
      hasDrafts: Boolean(config.versions?.drafts),
    }) as RecordType
  const collections = config.collections.filter(
    ({ slug, auth }) => !internal.test(slug) && isKnown(slug, !auth),
  )
  const globals = config.globals.filter(({ slug }) => isKnown(slug, true))
  return [
    ...collections.map((it) => typeOf(it, false, it.labels.plural)),
    ...globals.map((it) => typeOf(it, true, it.label)),
  ]
}

/** Returns the collection that is the page tree; undefined if the site has none. */
export function pagesOf({ types, options: { pages = 'pages' } }: TypesOfSite): RecordType | undefined {
  return types.find(({ isGlobal, slug }) => !isGlobal && slug === pages)
}

/** Returns the type with a name; undefined if the assistant does not know it. */
export function typeNamed({ types }: TypesOfSite, name: string): RecordType | undefined {
  return types.find((type) => type.name === name)
}

/** Returns a label of Payload as a text, English first; empty if there is none. */
export function textOf(label: unknown): string {
  if (typeof label === 'string') return label
  if (typeof label !== 'object' || label === null) return ''
  const [first] = Object.values(label)
  return String((label as Record<string, string>).en ?? first ?? '')
}

/** Returns the kind of the ids of a collection on this site; for a global, a number. */
export function idKind(payload: Payload, collection: string | undefined): 'number' | 'text' {
  const custom = collection === undefined ? 'number' : payload.collections[collection]?.customIDType
  return custom ?? payload.db.defaultIDType
}

const kindOf = (payload: Payload, { isGlobal, slug }: RecordType) =>
  idKind(payload, isGlobal ? undefined : slug)

/** Returns the kind of ids that the stage asks the model for: texts if any type of the site has text ids. */
export function idsOf(payload: Payload, types: RecordType[]): 'number' | 'string' {
  return types.some((type) => kindOf(payload, type) === 'text') ? 'string' : 'number'
}

/** Returns an id in the form of this site: the bridge may send a number for a text id, and a text for a number. */
export function idOf(payload: Payload, type: RecordType, uid: RecordId): RecordId {
  if (kindOf(payload, type) === 'text') return String(uid)
  return typeof uid === 'string' && /^[1-9][0-9]{0,15}$/.test(uid) ? Number(uid) : uid
}

/** True if the id can belong to a type. A SQL database fails if it gets a text in place of a number. */
export function isOf(payload: Payload, type: RecordType, id: RecordId): boolean {
  return type.isGlobal ? id === 1 : kindOf(payload, type) === 'text' || typeof id === 'number'
}
