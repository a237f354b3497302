import { mayChat } from '../access.ts'
import type { Actor } from '../actor.ts'
import type { Opening } from '../cms/cms.ts'
import { Failure } from '../conversation/failure.ts'
import type { RecordId } from '../conversation/schema.ts'
import type { Live } from '../live.ts'
import type { Settings } from '../settings/schema.ts'
import { load, type Resolved, resolve } from '../settings/settings.ts'

/** The owner of a turn, the settings of the stage and the configuration that applies, read at the start of the turn. */
export type Acting = { actor: Actor; settings: Settings; resolved: Resolved }

/** The same with what the CMS answered at the start of the turn. */
export type ActingInCms = Acting & Pick<Opening, 'capabilities' | 'languages' | 'page'>

/**
 * Reads the owner and what the CMS has from the CMS, and the settings from the table; `page` 0: none is open. Rejects
 * with Failure when the owner may not use the chat or no configuration applies.
 */
export async function open(live: Live, owner: number, page: RecordId): Promise<ActingInCms> {
  const now = live.clock.now()
  const [opening, settings] = await Promise.all([live.cms.opening(owner, page), load(now)])
  return { ...(opening as Opening), ...actingOf(opening?.actor, settings) }
}

/** Reads the owner and the settings again. Rejects with Failure when the owner may no longer use the chat. */
export async function enter(live: Live, owner: number): Promise<Acting> {
  const [actor, settings] = await Promise.all([live.cms.user(owner), load(live.clock.now())])
  return actingOf(actor, settings)
}

function actingOf(actor: Actor | undefined, settings: Settings): Acting {
  if (!actor || !mayChat(actor, settings)) throw new Failure('access.lost', 'The user may not use the chat.')
  const { resolved, missing } = resolve(settings, actor)
  if (!resolved) throw new Failure('chat.notConfigured', missing)
  return { actor, settings, resolved }
}
