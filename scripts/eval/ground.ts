import type { Actor } from '../../core/base/actor.ts'
import type { Capabilities } from '../../core/cms/capabilities.ts'
import { capabilities } from '../../core/cms/reference/registry.ts'
import type { Language } from '../../core/cms/schema.ts'
import type { Model } from '../../core/model/model.ts'
import type { Settings } from '../../core/stage/settings/schema.ts'
import { resolve } from '../../core/stage/settings/settings.ts'
import { type RequestBase, requestBaseOf } from '../../core/turn/request-base.ts'
import { languages } from '../../infra/local/seed/seed.ts'
import { UsageError } from '../command.ts'
import { begunAt } from './site.ts'

/** The parts of the tasks' CMS that influence what the model gets; `of` identifies the CMS in the digest. */
export type Ground = { capabilities: Capabilities; languages: Language[]; actors: Actor[]; of: unknown }

/** An actor who may use every configuration. */
export const anyone = { groups: [], isAdmin: true }

/** Returns the part of each request besides the transcript: the composed prompt and the tool definitions. */
export function frameOf(
  settings: Settings,
  actor: Actor,
  model: Model,
  { capabilities, languages }: Ground = seededGround(),
  { nonce, now } = { nonce: 'replay', now: begunAt },
): RequestBase {
  const { resolved, missing } = resolve(settings, anyone)
  if (!resolved) throw new UsageError(missing)
  const scene = { actor, settings, resolved, capabilities, languages, page: undefined, record: undefined }
  return requestBaseOf(scene, model, {
    nonce,
    now,
    viewContext: undefined,
    instructions: '',
    ownInstructions: '',
    servers: { tools: () => [], unconnected: [] },
  })
}

/** Returns the ground of the seeded site, with an administrator and an editor. */
export function seededGround(): Ground {
  const of = { uid: 1, username: 'user', name: 'User', groups: [1], lang: 'en' }
  const actors = [true, false].map((isAdmin) => ({ ...of, isAdmin }))
  return { capabilities: capabilities(), languages, actors, of: 'the seeded site' }
}
