import { lazy } from '../lazy.ts'
import type { Cms } from './cms.ts'

/**
 * A CMS whose code is loaded when it is first asked something. Most requests ask nothing: they poll, and the row of the
 * user was read along with them. `ready` is what can be answered without that code.
 */
export function deferred(
  load: () => Promise<Cms>,
  ready: Pick<Cms, 'userRow'> & Partial<Pick<Cms, 'capabilities'>> = {},
): Cms {
  const cms = lazy(load)
  return {
    capabilities: async () => (await cms()).capabilities(),
    user: async (...asked) => (await cms()).user(...asked),
    opening: async (...asked) => (await cms()).opening(...asked),
    languages: async () => (await cms()).languages(),
    page: async (...asked) => (await cms()).page(...asked),
    pageTree: async (...asked) => (await cms()).pageTree(...asked),
    pageContent: async (...asked) => (await cms()).pageContent(...asked),
    tables: async (...asked) => (await cms()).tables(...asked),
    search: async (...asked) => (await cms()).search(...asked),
    list: async (...asked) => (await cms()).list(...asked),
    record: async (...asked) => (await cms()).record(...asked),
    history: async (...asked) => (await cms()).history(...asked),
    log: async (...asked) => (await cms()).log(...asked),
    exception: async (...asked) => (await cms()).exception(...asked),
    users: async (...asked) => (await cms()).users(...asked),
    facts: async (...asked) => (await cms()).facts(...asked),
    preview: async (...asked) => (await cms()).preview(...asked),
    write: async (...asked) => (await cms()).write(...asked),
    settle: async (...asked) => (await cms()).settle(...asked),
    changesOf: async (...asked) => (await cms()).changesOf(...asked),
    undo: async (...asked) => (await cms()).undo(...asked),
    ...ready,
  }
}
