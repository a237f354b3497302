import type { Actor } from '../base/actor.ts'
import { has } from '../stage/settings/group.ts'
import type { Settings } from '../stage/settings/schema.ts'

/**
 * True if the actor may use the chat: administrators always, others by their effective groups, everybody if the
 * settings name no groups.
 */
export function mayChat(actor: Actor, settings: Pick<Settings, 'allowedGroups'>): boolean {
  return has(settings.allowedGroups, actor)
}
