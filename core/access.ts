import type { Actor } from './actor.ts'
import { has } from './settings/group.ts'
import type { Settings } from './settings/schema.ts'

/** Whether the actor may use the chat: administrators always, others by their effective groups; no groups named: all. */
export function mayChat(actor: Actor, settings: Pick<Settings, 'allowedGroups'>): boolean {
  return has(settings.allowedGroups, actor)
}
