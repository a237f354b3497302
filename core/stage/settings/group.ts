import type { Actor } from '../../base/actor.ts'

type Group = Actor['groups'][number]

/** True if a group is in this list; 2 and "2" are the same group, because the keys of rules are always texts. */
export const isAmong = (groups: readonly Group[], group: Group): boolean =>
  groups.some((one) => String(one) === String(group))

/** True if the list has a group of the actor or is empty, or if the actor is an administrator. */
export const has = (groups: readonly Group[], actor: Pick<Actor, 'groups' | 'isAdmin'>): boolean =>
  actor.isAdmin || groups.length === 0 || groups.some((group) => isAmong(actor.groups, group))

/**
 * True if the actor may use the chat: an administrator, a member of an allowed group, or everybody if the settings name
 * no groups.
 */
export const mayChat = (
  actor: Pick<Actor, 'groups' | 'isAdmin'>,
  { allowedGroups }: { allowedGroups: readonly Group[] },
): boolean => has(allowedGroups, actor)
