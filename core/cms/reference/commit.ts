import type { Actor } from '../../base/actor.ts'
import * as Table from '../../base/aws/table.ts'
import { type Done, isUndo, type Versions } from '../cms.ts'
import { trimAnswer } from '../difference.ts'
import { type Action, type Change, fieldsOf } from './history.ts'
import type { Row } from './item.ts'
import * as Item from './item.ts'
import { logRow } from './log.ts'
import { effectiveGroups } from './permission.ts'
import * as Rows from './rows.ts'
import { titleOf } from './view.ts'

/**
 * The only way to change a record: stores record, history, log and the key of the write in one transaction. It succeeds
 * only if the record is still the one from which the change was planned.
 */
export type Commit = {
  actor: Actor
  action: Action
  /** The record from which the change was planned; undefined for a new record. */
  before: Row | undefined
  /** The record after the change. */
  row: Row
  changes: Change[]
  /** The run of the chat that changes the record; ends with `/undo` if the change reverts a change of that run. */
  runId: string | null
  /** The key of the item that stores the outcome of the write. */
  key: string | null
  /** Returns the answer that is stored under the key; `stored` is the record after the write. */
  answerOf(stored: Row): Done
  /** The entry that reserves the language for a translation of its original. */
  vacancy?: Rows.Vacancy | undefined
  /** Records that must still have these versions. */
  guards: Versions
  /** Milliseconds since the epoch. */
  now: number
}

type Committed = { state: 'done'; row: Row } | { state: 'keyTaken' } | { state: 'lost' }

/** Stores the change. `lost`: a record has changed meanwhile; `keyTaken`: the write has already ended. */
export async function commit(store: string, change: Commit): Promise<Committed> {
  const { before, row, actor, now } = change
  const tables = before ? ['sys_history', 'sys_log'] : [row.table, 'sys_history', 'sys_log']
  const uids = await Rows.allocate(store, tables)
  const after: Row = {
    ...row,
    uid: before?.uid ?? uids[row.table] ?? 0,
    version: (before?.version ?? 0) + 1,
    createdAt: before?.createdAt ?? now,
    changedAt: now,
    changedBy: actor.username,
  }
  const heirs = await inheritance(store, change)
  const put = (item: Table.Key & Table.Row) =>
    Table.putWrite(item, { condition: 'attribute_not_exists(pk)' }, store)
  const outcome =
    change.key === null
      ? []
      : [Item.encodeOutcome(Item.writeKey(actor.uid, change.key), trimAnswer(change.answerOf(after)))]
  const history = uids.sys_history ?? 0
  const writes = [
    ...outcome.map(put),
    before ? modify(store, before, after, change.changes, heirs.own) : put(Item.encode(after)),
    put(Item.encode(historyRow(change, after, history))),
    put(Item.trailKey(Item.historyPartition(after.table, after.uid), history)),
    put(Item.encode(logRow(uids.sys_log ?? 0, logged(change, after), now))),
    ...change.guards.map((guard) => check(store, guard)),
    ...(change.vacancy ? [Rows.occupy(store, change.vacancy, after.uid)] : []),
    ...heirs.writes,
  ]
  const ended = await Table.transact(writes)
  if (ended.done) return { state: 'done', row: after }
  return change.key !== null && ended.failed.includes(0) ? { state: 'keyTaken' } : { state: 'lost' }
}

/** Updates only the changed fields, so that it never overwrites other attributes (password, login). */
function modify(
  store: string,
  before: Row,
  after: Row,
  changes: Change[],
  effectiveGroups: number[] | undefined,
): Table.Write {
  const { table, uid, version, deleted, pid, changedAt, changedBy } = after
  const fields = changes.map(({ field }) => field).filter((field) => field !== 'pid')
  const set = {
    ...{ version, deleted, pid, changedAt, changedBy },
    ...Object.fromEntries(fields.map((field) => [`fields.${field}`, after.fields[field]])),
    ...(effectiveGroups && { effective_groups: effectiveGroups }),
  }
  const condition = { condition: '#version = :old', values: { ':old': before.version } }
  return Table.assignWrite(Item.recordKey(table, uid), { set, ...condition }, store)
}

function historyRow({ action, actor, runId, changes, now }: Commit, after: Row, uid: number): Row {
  const { table, version: versionAfter } = after
  const recorded = {
    action,
    table,
    uid: after.uid,
    user: actor.uid,
    runId: runId ?? '',
    versionAfter,
    changes,
  }
  const fields = fieldsOf(recorded, actor.username)
  return { ...after, table: 'sys_history', uid, pid: 0, deleted: false, version: 1, createdAt: now, fields }
}

function check(store: string, { table, uid, version }: Versions[number]): Table.Write {
  const condition = {
    condition: '#version = :version AND #deleted = :alive',
    values: { ':version': Number(version), ':alive': false },
  }
  return Table.checkWrite(Item.recordKey(table, Item.ownId(uid)), condition, store)
}

const verbs = {
  add: 'created',
  modify: 'changed',
  move: 'moved',
  delete: 'deleted',
  undelete: 'brought back',
} as const

function logged(change: Commit, after: Row): Parameters<typeof logRow>[1] {
  const fields = change.changes.map(({ field }) => field).join(', ')
  const ofChat = change.runId !== null && isUndo(change.runId) ? ' (taken back)' : ' (AI chat)'
  const by = change.runId === null ? '' : ofChat
  return {
    level: 'info',
    component: 'records',
    message: `"${titleOf(after)}" (${after.table}:${after.uid}) was ${verbs[change.action]}${by}${fields && `: ${fields}`}`,
    username: change.actor.username,
  }
}

/** Limit of users whose groups change with one group: a transaction holds at most 100 items. */
const most = 80

/**
 * Updates the stored effective groups of users after a change of a user or a group. `own` has the groups of the changed
 * user; `writes` update the users of a changed group in the same transaction.
 */
async function inheritance(
  store: string,
  { row, changes }: Commit,
): Promise<{ own?: number[]; writes: Table.Write[] }> {
  const touches = (...fields: string[]) => changes.some(({ field }) => fields.includes(field))
  const ofUser = row.table === 'be_users' && touches('usergroup')
  const ofGroup = row.table === 'be_groups' && touches('subgroup', 'hidden')
  if (!ofUser && !ofGroup) return { writes: [] }
  const [stored, people] = await Promise.all([
    Rows.current(store, 'be_groups'),
    ofGroup ? Rows.all(store, 'be_users') : [],
  ])
  const groups = new Map(stored)
  const groupsOf = (user: Row) => effectiveGroups(Item.uidsOf(user, 'usergroup'), groups)
  if (ofUser) return { own: groupsOf(row), writes: [] }
  const users = people.map((user) => ({ user, was: groupsOf(user) }))
  groups.set(row.uid, row)
  const writes = users
    .filter(({ user, was }) => was.join() !== groupsOf(user).join())
    .map(({ user }) => carry(store, user, groupsOf(user)))
  if (writes.length > most) throw new Error(`More than ${most} users belong to the group ${row.uid}`)
  return { writes }
}

function carry(store: string, user: Row, groups: number[]): Table.Write {
  const assignment = {
    set: { effective_groups: groups },
    condition: '#fields.usergroup = :own',
    values: { ':own': Item.textOf(user, 'usergroup') },
  }
  return Table.assignWrite(Item.recordKey('be_users', user.uid), assignment, store)
}
