import type { TypedUser } from 'payload'

/** The plugin options of a site. Only the code is required. */
export type AiChatOptions = {
  /** The pairing code that `npm run connect -- payload` prints; without it the plugin does nothing. */
  code: string | undefined
  /** The previous pairing code, during the change to a new code. */
  previousCode?: string | undefined
  /** The origin at which the stage reaches the site; `serverURL` if absent. One of the two is required. */
  url?: string
  /** The collections and globals that the assistant knows; if absent, all except collections with a login. */
  only?: string[]
  /** The collections and globals that the assistant does not know. */
  except?: string[]
  /** The collection that is the page tree; by default `pages` if it exists, `false` for no tree. */
  pages?: string | false
  /** The field of a page that contains its parent page; `parent` if absent. */
  parentField?: string
  /**
   * For each slug of a collection whose records have their own pages, the path at which visitors open a record:
   * `/posts/autumn`. Without this option, no tool finds addresses and links.
   */
  addresses?: Record<string, (record: Record<string, unknown>) => string | null | undefined>
  /** The origins at which visitors open the site; `serverURL` if absent. */
  origins?: string[]
  /** Returns the names of a user's groups; if absent, `roles` or `role`, and the slug of the collection. */
  groups?: (user: TypedUser) => string[]
  /**
   * True if a user may see users and facts (such as versions) of the site, and always use the chat; if absent, true for
   * the group `admin`.
   */
  isAdmin?: (user: TypedUser) => boolean
  /** Returns the language of a user, for example `de`; if absent, `language` or `locale` of the user. */
  language?: (user: TypedUser) => string | undefined
}
