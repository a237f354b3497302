import type { Actor } from '../actor.ts'
import { learn } from '../language.ts'
import { lazy } from '../lazy.ts'
import type { Cms } from './cms.ts'

/**
 * A CMS whose code is loaded when it is first asked something. Most requests ask nothing: they poll, and the row of the
 * user was read along with them. `ready` is what can be answered without that code. A user whom the CMS names is answered
 * when the sentences of their language are loaded.
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
  const asked =
    <A extends unknown[], R>(operation: (cms: Cms) => (...given: A) => Promise<R>) =>
    async (...given: A) =>
      operation(await cms())(...given)
  return {
    capabilities: asked((it) => it.capabilities),
    user: async (...given) => met(await (await cms()).user(...given)),
    userNamed: async (id) => met(await (await cms()).userNamed(id)),
    opening: async (...given) => {
      const opening = await (await cms()).opening(...given)
      if (opening) await learn(opening.actor.lang)
      return opening
    },
    languages: asked((it) => it.languages),
    page: asked((it) => it.page),
    pageTree: asked((it) => it.pageTree),
    pageContent: asked((it) => it.pageContent),
    tables: asked((it) => it.tables),
    search: asked((it) => it.search),
    list: asked((it) => it.list),
    record: asked((it) => it.record),
    picture: asked((it) => it.picture),
    history: asked((it) => it.history),
    log: asked((it) => it.log),
    exception: asked((it) => it.exception),
    users: asked((it) => it.users),
    facts: asked((it) => it.facts),
    preview: asked((it) => it.preview),
    write: asked((it) => it.write),
    settle: asked((it) => it.settle),
    changesOf: asked((it) => it.changesOf),
    undo: asked((it) => it.undo),
    ...ready,
  }
}
