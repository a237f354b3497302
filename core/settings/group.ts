import type { Actor } from '../actor.ts'

type Group = Actor['groups'][number]

/** Whether a group is among these; 2 and "2" are one, since the keys of rules can be texts alone. */
export const isAmong = (groups: readonly Group[], group: Group): boolean =>
  groups.some((one) => String(one) === String(group))

/** Whether a list of groups has the actor: administrators always, every user where it names none. */
export const has = (groups: readonly Group[], actor: Pick<Actor, 'groups' | 'isAdmin'>): boolean =>
  actor.isAdmin || groups.length === 0 || groups.some((group) => isAmong(actor.groups, group))
