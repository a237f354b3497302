import type { Actor } from '../../base/actor.ts'
import { isAmong } from './group.ts'
import type { DraftsMode, Settings } from './schema.ts'

/** The modes from the most to the least permissive. */
const strictness: DraftsMode[] = ['off', 'first', 'only']

/**
 * The drafts mode for the actor: the strictest mode of the actor's groups, else that of the stage. Administrators have
 * the mode of the stage, since rules of groups do not bind them.
 */
export function draftsMode(
  { drafts: { mode, groups } }: Pick<Settings, 'drafts'>,
  actor: Pick<Actor, 'groups' | 'isAdmin'>,
): DraftsMode {
  if (actor.isAdmin) return mode
  const own = Object.entries(groups).flatMap(([group, one]) => (isAmong(actor.groups, group) ? [one] : []))
  return strictness.findLast((one) => own.includes(one)) ?? mode
}
