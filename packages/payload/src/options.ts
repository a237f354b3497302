import type { TypedUser } from 'payload'

/** The options that a site gives to the plugin. Only the code is required. */
export type AiChatOptions = {
  /** The pairing code that `npm run connect -- payload` prints; without it the plugin does nothing. */
  code: string | undefined
  /** The code that was used before, while the stage changes over to the new one. */
  previousCode?: string | undefined
  /** Origin at which the stage reaches the site; `serverURL` where it is absent. One of the two has to be there. */
  url?: string
  /** Collections and globals that the assistant knows; all but those with a login where it is absent. */
  only?: string[]
  /** Collections and globals that the assistant does not know. */
  except?: string[]
  /** The collection that is the page tree; `pages` where there is one, `false` for none. */
  pages?: string | false
  /** The field of a page that holds the page above it; `parent` where it is absent. */
  parentField?: string
  /**
   * For each slug of a collection with pages of its own, the path at which visitors open a record: `/posts/autumn`. Without
   * it, no tool looks for addresses and links.
   */
  addresses?: Record<string, (record: Record<string, unknown>) => string | null | undefined>
  /** Origins under which visitors open the site; `serverURL` where it is absent. */
  origins?: string[]
  /** Names of the groups of a user; `roles` or `role`, and the slug of the collection, where it is absent. */
  groups?: (user: TypedUser) => string[]
  /** True if a user sees users and facts, and may always use the chat; the group `admin` if absent. */
  isAdmin?: (user: TypedUser) => boolean
  /** Language of a user, for example `de`; `language` or `locale` of the user where it is absent. */
  language?: (user: TypedUser) => string | undefined
}
