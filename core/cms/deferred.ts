import type { Actor } from '../base/actor.ts'
import { learn } from '../base/language.ts'
import { lazy } from '../base/lazy.ts'
import { askedBy, type Cms } from './cms.ts'

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
