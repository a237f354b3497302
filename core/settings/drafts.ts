import type { Actor } from '../actor.ts'
import { isAmong } from './group.ts'
import type { DraftsMode, Settings } from './schema.ts'

/** From the mode that allows most to the one that allows least. */
const strictness: DraftsMode[] = ['off', 'first', 'only']

/**
 * How the chat may change what visitors see when it acts for the actor: the strictest mode that a group of the actor
 * has, else that of the stage. Administrators have that of the stage, as they are above the rules of groups.
 */
export function draftsMode(
  { drafts: { mode, groups } }: Pick<Settings, 'drafts'>,
  actor: Pick<Actor, 'groups' | 'isAdmin'>,
): DraftsMode {
  if (actor.isAdmin) return mode
  const own = Object.entries(groups).flatMap(([group, one]) => (isAmong(actor.groups, group) ? [one] : []))
  return strictness.findLast((one) => own.includes(one)) ?? mode
}
