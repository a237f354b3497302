import type { Actor } from '../base/actor.ts'
import { VisibleError } from '../base/error.ts'
import type { Cms } from '../cms/cms.ts'
import type { Mention, MentionName } from '../conversation/schema.ts'
import type { MentionsAnswer, MentionsQuery } from './request.ts'

/** Returns the records and files of the site that the actor can mention in a message. */
export async function mentions(cms: Cms, actor: Actor, wanted: MentionsQuery): Promise<MentionsAnswer> {
  const { query, kind, page = '0', table, uid } = wanted
  const [{ find, resolve }, capabilities] = await Promise.all([
    import('../cms/mention.ts'),
    cms.capabilities(),
  ])
  if (kind && table !== undefined && uid !== undefined) {
    const found = await resolve(cms, actor, [{ kind, table, uid }])
    return { mentions: found.flatMap((mention) => mention ?? []) }
  }
  const open = capabilities.ids === 'number' && /^[0-9]{1,15}$/.test(page) ? Number(page) : page
  return { mentions: await find(cms, actor, { query, kind, page: open }) }
}

/**
 * Returns the mentions of a message with the titles that the CMS now shows to this actor; undefined without mentions.
 * Rejects with `mention.notFound` if a record is gone or the actor may not see it; the error does not say which.
 */
export async function named(
  cms: Cms,
  actor: Actor,
  names: readonly MentionName[] = [],
): Promise<Mention[] | undefined> {
  if (names.length === 0) return undefined
  // Few messages mention anything, so the function that sends loads this code only here.
  const { keyOf, resolve } = await import('../cms/mention.ts')
  const unique = [...new Map(names.map((name) => [keyOf(name), name])).values()]
  const found = await resolve(cms, actor, unique)
  return found.map((mention) => {
    if (!mention) throw new VisibleError('mention.notFound', { fields: { mentions: 'not found' } })
    return mention
  })
}
