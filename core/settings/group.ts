import type { Actor } from '../actor.ts'

type Group = Actor['groups'][number]

/** Whether a group is among these; 2 and "2" are one, since the keys of rules can be texts alone. */
export const isAmong = (groups: readonly Group[], group: Group): boolean =>
  groups.some((one) => String(one) === String(group))

/** Whether two lists have a group in common. */
export const share = (some: readonly Group[], others: readonly Group[]): boolean =>
  some.some((group) => isAmong(others, group))
