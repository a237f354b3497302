import type { Clock } from './clock.ts'
import { systemClock } from './clock.ts'
import type { Cms } from './cms/cms.ts'
import { reference } from './cms/reference/reference.ts'
import { config, secret } from './config.ts'
import type { Model } from './model/model.ts'
import type { Resolved } from './settings/settings.ts'

/** The ports of this process and what is behind them; the one place where ports meet adapters. */
export type Live = {
  clock: Clock
  cms: Cms
  /** The model of a resolved configuration. */
  model(resolved: Resolved): Promise<Model>
}

let wired: Live | undefined

/** The ports as the configuration of this process wants them, wired on first use. */
export function live(): Live {
  wired ??= { clock: systemClock, cms: cms(), model: modelOf() }
  return wired
}

function cms(): Cms {
  const { cmsTable } = config()
  if (!cmsTable) throw new Error('AI_CHAT_CMS_TABLE is not set, and no other CMS is configured.')
  return reference({ table: cmsTable })
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
    return creating
  }
}
