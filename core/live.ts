import type { Actor } from './actor.ts'
import type { Clock } from './clock.ts'
import { systemClock } from './clock.ts'
import type { Cms } from './cms/cms.ts'
import { authenticate } from './cms/reference/login.ts'
import { reference } from './cms/reference/reference.ts'
import { save } from './cms/reference/write.ts'
import type { RecordEdit } from './cms/schema.ts'
import { config, secret } from './config.ts'
import type { Model } from './model/model.ts'
import type { Authenticate } from './session/login.ts'
import type { Resolved } from './settings/settings.ts'

/** The ports of this process and what is behind them; the one place where ports meet adapters. */
export type Live = {
  clock: Clock
  cms: Cms
  /** What the reference backend needs of the reference CMS beyond the port; absent where the CMS is elsewhere. */
  reference?: Reference
  /** The model of a resolved configuration. */
  model(resolved: Resolved): Promise<Model>
}

/** Logging in with a password, and changing a record by hand. */
export type Reference = {
  authenticate: Authenticate
  save(actor: Actor, edit: RecordEdit, now: number): Promise<{ state: 'done' | 'conflict' }>
}

let wired: Live | undefined

/** The ports as the configuration of this process wants them, wired on first use. */
export function live(): Live {
  wired ??= { clock: systemClock, ...cms(), model: modelOf() }
  return wired
}

function cms(): { cms: Cms; reference: Reference } {
  const { cmsTable } = config()
  if (!cmsTable) throw new Error('AI_CHAT_CMS_TABLE is not set, and no other CMS is configured.')
  return {
    cms: reference({ table: cmsTable }),
    reference: {
      authenticate: (username, password, now) => authenticate(cmsTable, username, password, now),
      save: (actor, edit, now) => save(cmsTable, actor, edit, now),
    },
  }
}

/** Adapters are loaded when they are first needed: a web function never pays for a model SDK. */
function modelOf(): Live['model'] {
  const made = new Map<string, Promise<Model>>()
  return ({ provider, model }) => {
    const name = JSON.stringify([provider, model])
    const known = made.get(name)
    if (known) return known
    const creating = import('./model/create.ts').then(({ createModel }) =>
      createModel(provider, model, provider.secret ? secret(provider.secret) : undefined),
    )
    made.set(name, creating)
    // A secret that is missing today may be there at the next turn.
    creating.catch(() => made.delete(name))
    return creating
  }
}
