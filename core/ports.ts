import type { Actor } from './base/actor.ts'
import { type Clock, systemClock } from './base/clock.ts'
import { config, secret } from './base/config.ts'
import { learn } from './base/language.ts'
import { lazy } from './base/lazy.ts'
import { askedBy, type Cms, type ReadFile } from './cms/cms.ts'
import { userRow } from './cms/reference/item.ts'
import type { RecordDraft, RecordEdit } from './cms/schema.ts'
import type { Authenticate } from './user/session/login.ts'

/** The outside parts that every process needs, apart from a model. */
export type Ports = {
  clock: Clock
  cms: Cms
  /** The parts of the reference CMS beyond the port, for the reference backend; absent where the CMS is elsewhere. */
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
  wired ??= wire()
  return wired
}

/** The same, made for this caller alone; `file` reads the files of the site, in a process that has the right to. */
export function wire(file?: ReadFile): Ports {
  return { clock: systemClock, ...cms(file) }
}

function cms(file?: ReadFile): Omit<Ports, 'clock'> {
  const { cmsTable: table, cms: elsewhere } = config()
  if (elsewhere) {
    const connect = async () => {
      const { bridge } = await import('./cms/bridge/bridge.ts')
      return bridge({ ...elsewhere, secret: keyOf() })
    }
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
 * A CMS whose code is loaded at its first question. Most requests ask nothing: they poll, and the row of the user was
 * read along with them. `ready` answers without that code. A user whom the CMS names is answered when the sentences
 * of their language are loaded.
 */
export function deferred(
  load: () => Promise<Cms>,
  ready: Pick<Cms, 'userRow'> & Partial<Pick<Cms, 'capabilities'>> = {},
): Cms {
  const cms = lazy(load)
  const met = async (actor: Actor | undefined) => {
    if (actor) await learn(actor.lang)
    return actor
  }
  return {
    capabilities: async () => (await cms()).capabilities(),
    user: async (...given) => met(await (await cms()).user(...given)),
    userNamed: async (id) => met(await (await cms()).userNamed(id)),
    opening: async (...given) => {
      const opening = await (await cms()).opening(...given)
      if (opening) await learn(opening.actor.lang)
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
