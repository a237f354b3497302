import type { Actor } from './actor.ts'
import { type Clock, systemClock } from './clock.ts'
import { bridge } from './cms/bridge/bridge.ts'
import type { Cms } from './cms/cms.ts'
import { authenticate } from './cms/reference/login.ts'
import { reference } from './cms/reference/reference.ts'
import { add, save } from './cms/reference/write.ts'
import type { RecordDraft, RecordEdit } from './cms/schema.ts'
import { config, secret } from './config.ts'
import type { Authenticate } from './session/login.ts'

/** What every process needs from outside, apart from a model, and what is behind it. */
export type Ports = {
  clock: Clock
  cms: Cms
  /** What the reference backend needs of the reference CMS beyond the port; absent where the CMS is elsewhere. */
  reference?: Reference
}

/** Logging in with a password, and making and changing a record by hand. */
export type Reference = {
  authenticate: Authenticate
  save(actor: Actor, edit: RecordEdit, now: number): Promise<{ state: 'done' | 'conflict' }>
  add(
    actor: Actor,
    draft: RecordDraft,
    now: number,
  ): Promise<{ state: 'done'; uid: number } | { state: 'conflict' }>
}

let wired: Ports | undefined

/** The ports as the configuration of this process wants them, wired on first use. Without any code of a model. */
export function ports(): Ports {
  wired ??= { clock: systemClock, ...cms() }
  return wired
}

function cms(): Omit<Ports, 'clock'> {
  const { cmsTable, cms: elsewhere } = config()
  if (elsewhere) return { cms: bridge({ ...elsewhere, secret: keyOf() }) }
  if (!cmsTable) throw new Error('Neither AI_CHAT_CMS_TABLE nor AI_CHAT_CMS_URL is set: there is no CMS.')
  return {
    cms: reference({ table: cmsTable }),
    reference: {
      authenticate: (username, password, now) => authenticate(cmsTable, username, password, now),
      save: (actor, edit, now) => save(cmsTable, actor, edit, now),
      add: (actor, draft, now) => add(cmsTable, actor, draft, now),
    },
  }
}

function keyOf(): string {
  const key = secret('cms')
  if (!key) throw new Error('AI_CHAT_SECRET_CMS is not set: nothing can be signed for the CMS elsewhere.')
  return key
}
