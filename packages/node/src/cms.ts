import type { Actor } from '../../../core/base/actor.ts'
import type { Capabilities } from '../../../core/cms/capabilities.ts'
import type { Cms } from '../../../core/cms/cms.ts'
import type { Field } from '../../../core/cms/schema.ts'
import type { UserId } from '../../../core/cms/user-number/schema.ts'
import type { Adapter, FieldOf, Person, TypeOf } from './adapter.ts'
import { bareCapabilities, type Operations, portOf } from './port.ts'
import { makePut, settlePut, showPut } from './put.ts'
import { maxPages, pageOf, pageWith, pictureOf, recordsOf, treeOf } from './record.ts'

/** Returns the CMS port for an adapter. */
export function cmsOf(adapter: Adapter): Cms {
  const operations: Operations<Person> = {
    ...treeOperations(adapter),
    picture: async (user, { table, uid }) => {
      const entry = await adapter.read(user, table, uid)
      return entry && pictureOf((await adapter.files?.(user, entry)) ?? [])
    },
    history: async () => undefined,
    log: async () => [],
    tables: async (user) =>
      (await adapter.types(user)).map((type) => ({ ...described(type), mayModify: type.mayModify })),
    search: async (user, { text, table, limit }) => {
      const found = await adapter.search(user, text, { limit, ...(table !== undefined && { type: table }) })
      return recordsOf(adapter, user, found)
    },
    list: async (user, { table, page, limit, offset }) => {
      const type = (await adapter.types(user)).find(({ name }) => name === table)
      if (!type) return undefined
      if (page !== undefined && table !== adapter.tree?.type) return { records: [], total: 0 }
      const below = page === undefined ? {} : { below: page }
      const { entries, total } = await adapter.list(user, table, { limit, offset, ...below })
      return { records: await recordsOf(adapter, user, entries), total }
    },
    record: async (user, { table, uid, revision }) => {
      const entry = revision === undefined ? await adapter.read(user, table, uid) : undefined
      return entry && (await recordsOf(adapter, user, [entry]))[0]
    },
    users: async (_, __, { isAdmin }) =>
      isAdmin && adapter.users
        ? (await adapter.users()).map((it) => ({
            ...actorOf(it),
            uid: it.id as UserId,
            disabled: it.disabled,
            lastLogin: null,
            groups: it.groups.map(String),
          }))
        : [],
    facts: async (_, __, { isAdmin }) => (isAdmin ? { [adapter.name]: adapter.version } : {}),
    put: (user, asked) => ('dry' in asked ? showPut(adapter, user, asked) : makePut(adapter, user, asked)),
    settle: (user, { key }) => settlePut(adapter, user, key),
  }
  return portOf(operations, {
    capabilities: () => capabilitiesOf(adapter),
    languages: async () => [],
    user: async (id) => {
      const user = await adapter.user(id)
      return user && { actor: actorOf(user), user }
    },
  })
}

/** Returns the operations on the page tree. Without a tree in the adapter they return nothing. */
function treeOperations(adapter: Adapter): Pick<Operations<Person>, 'page' | 'pageTree' | 'pageContent'> {
  return {
    page: async (user, { uid }) => {
      const page = await pageWith(adapter, user, uid)
      return page && pageOf(page, ({ pid }) => pageWith(adapter, user, pid), {})
    },
    pageTree: async (user, asked) => {
      const { tree } = adapter
      if (!tree || !(await adapter.types(user)).some(({ name }) => name === tree.type)) return []
      const { entries } = await adapter.list(user, tree.type, { limit: maxPages, offset: 0 })
      return treeOf(await recordsOf(adapter, user, entries), asked)
    },
    pageContent: async (user, { uid }) => (await pageWith(adapter, user, uid)) && [],
  }
}

/**
 * Returns the actor of a user. An id that is a text becomes 0, because the stage identifies such a user by the text.
 */
const actorOf = ({ id, username, name, isAdmin, groups, lang }: Person): Actor => ({
  uid: Number(id) || 0,
  username,
  name,
  isAdmin,
  groups,
  lang,
})

async function capabilitiesOf(adapter: Adapter): Promise<Capabilities> {
  const { name, version, ids = 'number', userIds = 'number', publishing, tree, origins } = adapter
  const types = await adapter.types(null)
  const names = types.map((type) => type.name)
  const withDrafts = types.filter(({ fields }) => fields.some((field) => field.name === publishing?.field))
  return {
    ...bareCapabilities,
    name,
    version,
    ids,
    userIds,
    types: types.map(described),
    tree: tree ? { pages: tree.type, content: null } : null,
    states: publishing ? [publishing.hidden, ...publishing.shown] : [],
    publishing: publishing ? { field: publishing.field, states: publishing.shown, draft: null } : null,
    writes: {
      ...bareCapabilities.writes,
      create: withDrafts.map((type) => type.name),
      remove: adapter.remove ? names : [],
    },
    addresses: origins ? { origins, types: names } : null,
    media: adapter.files !== undefined,
    pictures: adapter.files !== undefined,
    users: adapter.users !== undefined,
  }
}

const described = ({ name, label, fields }: TypeOf) => ({ name, label, fields: fields.map(describeField) })

/** Returns a field in the form of the bridge, without further members that the CMS keeps with it. */
const describeField = ({ name, label, kind, required, max, readOnly, options, target }: FieldOf): Field => ({
  name,
  label,
  kind,
  required: required ?? false,
  max: max ?? null,
  readOnly: readOnly ?? false,
  ...(options && { options }),
  ...(target && { target }),
})
