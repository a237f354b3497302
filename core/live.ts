import { secret } from './base/config.ts'
import { lazy } from './base/lazy.ts'
import { siteFile } from './file/site-files.ts'
import type { Model } from './model/model.ts'
import { type Ports, wire } from './ports.ts'
import type { Resolved } from './stage/settings/settings.ts'

/** All ports of a process that runs turns. */
export type Live = Ports & {
  /** The model of a resolved configuration. */
  model(resolved: Resolved): Promise<Model>
}

let wired: Live | undefined

/** Returns the ports, and the function that makes the models of the settings; the first call creates both. */
export function live(): Live {
  wired ??= { ...wire(siteFile), model: modelOf() }
  return wired
}

/**
 * Returns the function that makes the models. It imports an adapter when the adapter is first needed. If the creation
 * of a model fails, the next turn tries again.
 */
function modelOf(): Live['model'] {
  const made = new Map<string, () => Promise<Model>>()
  return ({ provider, model, fallback }) => {
    const name = JSON.stringify([provider, model, fallback])
    const create = made.get(name) ?? lazy(() => makeModel({ provider, model, ...(fallback && { fallback }) }))
    made.set(name, create)
    return create()
  }
}

async function makeModel(choice: Pick<Resolved, 'provider' | 'model' | 'fallback'>): Promise<Model> {
  const [{ createModel }, { chosen }] = await Promise.all([
    import('./model/create.ts'),
    import('./model/fallback.ts'),
  ])
  return chosen(choice, (provider, model, share) =>
    createModel(provider, model, provider.secret ? secret(provider.secret) : undefined, share),
  )
}
