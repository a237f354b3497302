import { mayChat } from '../access.ts'
import type { Actor } from '../actor.ts'
import type { Opening } from '../cms/cms.ts'
import { Failure } from '../conversation/failure.ts'
import type { Live } from '../live.ts'
import type { Settings } from '../settings/schema.ts'
import { load, type Resolved, resolve } from '../settings/settings.ts'

/** Everything of a turn that its owner and the stage decide, read afresh at its start. */
export type Scene = { actor: Actor; settings: Settings; resolved: Resolved }

/** A scene with what the CMS said at the start of its turn. */
export type Opened = Scene & Pick<Opening, 'capabilities' | 'languages' | 'page'>

/**
 * The owner as the CMS knows them now, what their turns run with, and what the CMS has; `pageId` 0: no page is open.
 * Rejects with Failure where there is none.
 */
export async function open(live: Live, owner: number, pageId: number): Promise<Opened> {
  const now = live.clock.now()
  const [opening, settings] = await Promise.all([live.cms.opening(owner, pageId), load(now)])
  return { ...(opening as Opening), ...sceneOf(opening?.actor, settings) }
}

/** The owner as the CMS knows them now. Rejects with Failure where they may no longer use the chat. */
export async function enter(live: Live, owner: number): Promise<Scene> {
  const [actor, settings] = await Promise.all([live.cms.user(owner), load(live.clock.now())])
  return sceneOf(actor, settings)
}

function sceneOf(actor: Actor | undefined, settings: Settings): Scene {
  if (!actor || !mayChat(actor, settings)) throw new Failure('access.lost', 'The user may not use the chat.')
  const { resolved, missing } = resolve(settings, actor)
  if (!resolved) throw new Failure('chat.notConfigured', missing)
  return { actor, settings, resolved }
}
