import { mayChat } from '../access.ts'
import type { Actor } from '../actor.ts'
import { Failure } from '../conversation/failure.ts'
import type { Live } from '../live.ts'
import type { Settings } from '../settings/schema.ts'
import { load, type Resolved, resolve } from '../settings/settings.ts'

/** Everything of a turn that its owner and the stage decide, read afresh at its start. */
export type Scene = { actor: Actor; settings: Settings; resolved: Resolved }

/** The owner as the CMS knows them now, and what their turns run with. Rejects with Failure where there is none. */
export async function enter(live: Live, owner: number): Promise<Scene> {
  const now = live.clock.now()
  const [actor, settings] = await Promise.all([live.cms.user(owner), load(now)])
  if (!actor || !mayChat(actor, settings)) throw new Failure('access.lost', 'The user may not use the chat.')
  const { resolved, missing } = resolve(settings, actor)
  if (!resolved) throw new Failure('chat.notConfigured', missing)
  return { actor, settings, resolved }
}
