import type { Actor } from '../base/actor.ts'
import type { Opening } from '../cms/cms.ts'
import type { RecordId } from '../conversation/schema.ts'
import { Failure } from '../conversation/turn-failure.ts'
import type { Live } from '../live.ts'
import { mayChat } from '../stage/settings/group.ts'
import type { Settings } from '../stage/settings/schema.ts'
import { load, loadWith, type Resolved, resolve } from '../stage/settings/settings.ts'
import * as OwnInstructions from '../user/own-instructions.ts'

/**
 * The owner of a turn, the settings of the stage and the configuration for the owner. The start of the turn reads them.
 */
export type Acting = { actor: Actor; settings: Settings; resolved: Resolved }

/** `Acting` with the CMS's answers at the start of the turn. */
export type ActingInCms = Acting & Pick<Opening, 'capabilities' | 'languages' | 'page' | 'record'>

/**
 * Reads the owner, the capabilities and the open record from the CMS. Reads the settings and the owner's instructions
 * for all conversations from the table. `page` is 0 if nothing is open; `table` is the type of an open record other
 * than a page. Rejects with Failure when the owner may not use the chat or no configuration applies.
 */
export async function open(
  live: Live,
  owner: number,
  page: RecordId,
  table?: string,
): Promise<ActingInCms & { ownInstructions: string }> {
  const now = live.clock.now()
  const [opening, { settings, rows }] = await Promise.all([
    live.cms.opening(owner, page, table),
    loadWith(now, [OwnInstructions.key(owner)]),
  ])
  const ownInstructions = OwnInstructions.decode(rows[0])
  return { ...(opening as Opening), ...actingOf(opening?.actor, settings), ownInstructions }
}

/** Reads the owner and the settings again. Rejects with Failure when the owner may no longer use the chat. */
export async function enter(live: Live, owner: number): Promise<Acting> {
  const [actor, settings] = await Promise.all([live.cms.user(owner), load(live.clock.now())])
  return actingOf(actor, settings)
}

function actingOf(given: Actor | undefined, settings: Settings): Acting {
  const actor = allowedUser(given, settings)
  const { resolved, missing } = resolve(settings, actor)
  if (!resolved) throw new Failure('chat.notConfigured', missing)
  return { actor, settings, resolved }
}

/** Returns the user if they exist and may use the chat; else throws Failure. */
export function allowedUser(actor: Actor | undefined, settings: Settings): Actor {
  if (!actor || !mayChat(actor, settings)) throw new Failure('access.lost', 'The user may not use the chat.')
  return actor
}
