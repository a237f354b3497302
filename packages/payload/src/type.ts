import type { FlattenedField, Payload, SanitizedCollectionConfig, SanitizedGlobalConfig } from 'payload'
import type { AiChatOptions } from './options.ts'

/** A collection or a global as a type of the bridge. A global has one record, with the uid 1. */
export type RecordType = { name: string; slug: string; label: string; hasDrafts: boolean } & (
  | { isGlobal: false; config: SanitizedCollectionConfig }
  | { isGlobal: true; config: SanitizedGlobalConfig }
)

/** A type that is a collection. */
export type Collection = Extract<RecordType, { isGlobal: false }>

/** True if the records of a type go to Payload's own bin. */
export const hasBin = (type: RecordType): type is Collection => !type.isGlobal && Boolean(type.config.trash)

/** Payload's own collections begin so. */
const internal = /^payload-/
/** The collections of this plugin begin so. */
export const own = 'ai-chat-'
/** Slugs that the bridge can name. */
const nameable = /^[A-Za-z_][A-Za-z0-9_-]{0,55}$/

/** The types that the assistant knows on this site; collections with a login only where `only` names them. */
export function typesOf({ config }: Payload, { only, except = [] }: AiChatOptions): RecordType[] {
  const isKnown = (slug: string, isByDefault: boolean) =>
    nameable.test(slug) && !except.includes(slug) && (only ? only.includes(slug) : isByDefault)
  const collections = config.collections
    .filter(({ slug, auth }) => !internal.test(slug) && !slug.startsWith(own) && isKnown(slug, !auth))
    .map(
      (it): RecordType => ({
        isGlobal: false,
        config: it,
        name: it.slug,
        slug: it.slug,
        label: textOf(it.labels.plural) || it.slug,
        hasDrafts: Boolean(it.versions?.drafts),
      }),
    )
  const globals = config.globals
    .filter(({ slug }) => isKnown(slug, true))
    .map(
      (it): RecordType => ({
        isGlobal: true,
        config: it,
        name: `global.${it.slug}`,
        slug: it.slug,
        label: textOf(it.label) || it.slug,
        hasDrafts: Boolean(it.versions?.drafts),
      }),
    )
  return [...collections, ...globals]
}

/** The collection that is the page tree; undefined where the site has none. */
export function pagesOf(types: RecordType[], { pages = 'pages' }: AiChatOptions): RecordType | undefined {
  return types.find(({ isGlobal, slug }) => !isGlobal && slug === pages)
}

/** A label of Payload as a text, English first; empty where there is none. */
export function textOf(label: unknown): string {
  if (typeof label === 'string') return label
  if (typeof label !== 'object' || label === null) return ''
  const [first] = Object.values(label)
  return String((label as Record<string, string>).en ?? first ?? '')
}

/** The fields of a type, groups and named tabs not yet opened. */
export function flattened({ config }: RecordType): FlattenedField[] {
  return config.flattenedFields
}
