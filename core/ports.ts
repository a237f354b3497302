import type { Actor } from './base/actor.ts'
import { type Clock, systemClock } from './base/clock.ts'
import { config, secret } from './base/config.ts'
import { loadLanguage } from './base/language.ts'
import { lazy } from './base/lazy.ts'
import { askedBy, type Cms, type ReadFile } from './cms/cms.ts'
import { userRow } from './cms/reference/item.ts'
import type { RecordDraft, RecordEdit } from './cms/schema.ts'
import type { Authenticate } from './user/session/login.ts'

/** The external services that every process needs, except models. */
export type Ports = {
  clock: Clock
  cms: Cms
  /**
   * Functions of the reference CMS beyond its port, for the reference backend; undefined if the stage uses a connected
   * CMS.
   */
  reference?: Reference
}

/** Login by password, and the creation and change of a record by hand. */
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

/** Returns the ports that the configuration of this process selects, wired on first use. Imports no code of a model. */
export function ports(): Ports {
  wired ??= wire()
  return wired
}

/**
 * Creates ports like `ports`, for this caller only. `file` reads files of the site, in a process that may read them.
 */
export const wire = (file?: ReadFile): Ports => ({ clock: systemClock, ...cms(file) })

function cms(file?: ReadFile): Omit<Ports, 'clock'> {
  const { cmsTable: table, cms: elsewhere } = config()
  if (elsewhere) {
    const connect = async () =>
      (await import('./cms/bridge/bridge.ts')).bridge({ ...elsewhere, secret: keyOf() })
    return { cms: deferred(connect) }
  }
  if (!table) throw new Error('Neither AI_CHAT_CMS_TABLE nor AI_CHAT_CMS_URL is set: there is no CMS.')
  const put = () => import('./cms/reference/put.ts')
  const open = async () =>
    (await import('./cms/reference/reference.ts')).reference({ table, ...(file && { file }) })
  return {
    cms: deferred(open, {
      userRow: userRow(table),
      capabilities: async () => (await import('./cms/reference/registry.ts')).capabilities(),
    }),
    reference: {
      authenticate: async (...given) =>
        (await import('./cms/reference/login.ts')).authenticate(table, ...given),
      save: async (...given) => (await put()).save(table, ...given),
      add: async (...given) => (await put()).add(table, ...given),
    },
  }
}

function keyOf(): string {
  const key = secret('cms')
  if (!key) throw new Error('AI_CHAT_SECRET_CMS is not set: nothing can be signed for the CMS elsewhere.')
  return key
}

/**
 * Returns a CMS whose code is imported when it is first called. Most requests are polls and do not need this code: they
 * read the row of the user together with the conversation. `ready` answers without that code. A user from the CMS is
 * returned only after the sentences of their language are loaded.
 */
export function deferred(
  load: () => Promise<Cms>,
  ready: Pick<Cms, 'userRow'> & Partial<Pick<Cms, 'capabilities'>> = {},
): Cms {
  const cms = lazy(load)
  const met = async (actor: Actor | undefined) => {
    if (actor) await loadLanguage(actor.lang)
    return actor
  }
  return {
    capabilities: async () => (await cms()).capabilities(),
    user: async (...given) => met(await (await cms()).user(...given)),
    userNamed: async (id) => met(await (await cms()).userNamed(id)),
    opening: async (...given) => {
      const opening = await (await cms()).opening(...given)
      if (opening) await loadLanguage(opening.actor.lang)
      return opening
    },
    languages: async () => (await cms()).languages(),
    ...askedBy(async (operation, actor, question) => {
      const { [operation]: answer } = await cms()
      return answer(actor, question as never)
    }),
    ...ready,
  }
}
