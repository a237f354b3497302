import type { Actor } from '../base/actor.ts'
import { hash } from '../base/hash.ts'
import type { Conversation } from './item.ts'

/**
 * The tenant of a user: users with the same first group share one place in the queue; a user without a group is a
 * tenant alone. If a tenant has many turns, the queue prefers the turns of other tenants (SQS fair queues, by
 * `MessageGroupId`). The name is a hash, because a CMS may name its groups in any words.
 */
export function tenantOf({ uid, groups: [first] }: Pick<Actor, 'uid' | 'groups'>): string {
  if (first === undefined) return ofUser(uid)
  return ofGroup(String(first))
}

const ofGroup = (group: string) => `group-${hash(group).slice(0, 32)}`

const ofUser = (uid: number) => `user-${uid}`

/** The tenant of the turn that waits in a conversation. */
export const tenant = ({ tenant, owner }: Pick<Conversation, 'tenant' | 'owner'>): string =>
  tenant || ofUser(owner)

/** The weight of a tenant's group when capacity is short; 1 if the settings name no weight. */
export function weightOf(tenant: string, weights: Record<string, number>): number {
  const [, weight = 1] = Object.entries(weights).find(([group]) => ofGroup(group) === tenant) ?? []
  return weight
}
