import type { Actor } from '../actor.ts'
import { hash } from '../canonical.ts'
import type { Conversation } from './item.ts'

/**
 * Whose turns share a place in the queue: those of users with the same first group, and of a user without one. Where one
 * of them has many turns, the queue gives consumers the turns of the others first (SQS fair queues, by `MessageGroupId`).
 * Hashed, because a CMS may name its groups in any words.
 */
export function tenantOf({ uid, groups: [first] }: Pick<Actor, 'uid' | 'groups'>): string {
  if (first === undefined) return ofUser(uid)
  return ofGroup(String(first))
}

const ofGroup = (group: string) => `group-${hash(group).slice(0, 32)}`

const ofUser = (uid: number) => `user-${uid}`

/** Whose turn it is that waits in a conversation. */
export const tenant = ({ tenant, owner }: Pick<Conversation, 'tenant' | 'owner'>): string =>
  tenant || ofUser(owner)

/** How much a tenant gets where there is not enough for all: the weight of its group, 1 where none is named. */
export function weightOf(tenant: string, weights: Record<string, number>): number {
  const [, weight = 1] = Object.entries(weights).find(([group]) => ofGroup(group) === tenant) ?? []
  return weight
}
