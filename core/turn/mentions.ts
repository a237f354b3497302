import type { Actor } from '../actor.ts'
import type { Cms } from '../cms/cms.ts'
import { keyOf, resolve } from '../cms/mention.ts'
import type { Mention } from '../conversation/schema.ts'
import type { UserBlock } from '../model/model.ts'
import { mentionsNote } from '../prompt/mention.ts'
import type { Message } from '../transcript/schema.ts'

type TextBlock = Extract<UserBlock, { type: 'text' }>

/** The newest so many are asked for again; the model does not get what was named before them. */
const maxChecked = 50

/**
 * What each message's mentions are sent as. The CMS is asked once, at the start of the turn, what of them the owner may
 * still see.
 */
export async function mentioned(
  cms: Cms,
  actor: Actor,
  rows: readonly Message[],
  nonce: string,
): Promise<(row: Message) => TextBlock[]> {
  const named = new Map<string, Mention>()
  for (const mention of rows.toReversed().flatMap((row) => row.mentions ?? []))
    if (named.size < maxChecked) named.set(keyOf(mention), mention)
  if (named.size === 0) return () => []
  const found = await resolve(
    cms,
    actor,
    [...named.values()].map(({ kind, table, uid }) => ({ kind, table, uid })),
  )
  const there = new Set(found.flatMap((mention) => (mention ? [keyOf(mention)] : [])))
  return ({ mentions = [] }) => {
    const checked = mentions.filter((mention) => named.has(keyOf(mention)))
    if (checked.length === 0) return []
    const told = checked.map((mention) => ({ ...mention, isThere: there.has(keyOf(mention)) }))
    return [{ type: 'text', text: mentionsNote(told, nonce) }]
  }
}
