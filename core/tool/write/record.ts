import * as z from 'zod'
import { ToolError } from '../../base/error.ts'
import { Moment, Root, State, TableName, Target, Uid } from '../schema.ts'
import { type WriteTool, writes } from '../tool.ts'

/** Returns the headings for the states of known CMSs; any other state has the general heading. */
function byState(publish: string, hide: string, draft: string, plan: string): Record<string, string> {
  return {
    ...{ visible: publish, published: publish, publish },
    ...{ hidden: hide, private: hide, draft, scheduled: plan, future: plan },
  }
}

const utc = (moment: string) => new Date(moment).toISOString()

/** `set_state`: publishes, hides or schedules a record, after an approval. */
export const setState = writes({
  name: 'set_state',
  sign: 'clock',
  en: {
    title: 'Publish, hide or schedule',
    did: 'Changed whether a record is public',
    doing: 'Changing whether a record is public',
    asked: 'Proposed to publish or hide',
    heading: 'Change whether “{title}” is public',
    headings: byState(
      'Publish “{title}”. Visitors will see it.',
      'Hide “{title}”. Visitors will no longer see it.',
      'Make “{title}” a draft. Visitors will not see it.',
      'Plan when visitors see “{title}”',
    ),
    stored: '{record} has its new state.',
  },
  description:
    'Proposes another state for a record. from and until say when visitors see it, with a state that plans alone.',
  guidance:
    'Publishing, hiding and planning is a change of its own: propose it with set_state only when the user asks for it.',
  parameters: z.strictObject({
    table: TableName,
    uid: Target,
    state: State,
    from: Moment.optional(),
    until: Moment.optional(),
  }),
  publishes: true,
  suits: ({ writes }) => writes.state.length > 0,
  write: ({ table, uid, state, from, until }) => ({
    table,
    uid,
    state: { state, ...(from && { from: utc(from) }), ...(until && { until: utc(until) }) },
  }),
})

/** `move_record`: moves a record to another page or another position, after an approval. */
export const moveRecord = writes({
  name: 'move_record',
  sign: 'folder',
  en: {
    title: 'Move a record',
    did: 'Moved a record',
    doing: 'Moving a record',
    asked: 'Proposed a move',
    heading: 'Move “{title}”',
    stored: '{record} was moved.',
  },
  description:
    'Proposes another page for a record, or another place among the records of its page. A page takes along all that lies on it.',
  parameters: z
    .strictObject({
      table: TableName,
      uid: Uid,
      page: Target.optional().describe('absent: it stays on its page'),
      after: Root.optional().describe('Record of its table that it comes behind; 0: first; absent: last'),
    })
    .refine(({ page, after }) => page !== undefined || after !== undefined, {
      message: 'give page, after or both',
    }),
  suits: ({ writes: { place } }) => place.length > 0,
  write: ({ table, uid, page, after }) => ({
    table,
    uid,
    place: {
      ...(page !== undefined && { pid: page }),
      ...(after !== undefined && { after: after === '0' ? 0 : after }),
    },
  }),
})

/** `restore_version`: restores the earlier content of a record, after an approval. */
export const restoreVersion = writes({
  name: 'restore_version',
  sign: 'clock',
  en: {
    title: 'Restore an earlier version',
    did: 'Restored an earlier version',
    doing: 'Restoring an earlier version',
    asked: 'Proposed an earlier version',
    heading: { one: 'Put {count} field of “{title}” back', other: 'Put {count} fields of “{title}” back' },
    stored: { one: '{record}: {count} field put back.', other: '{record}: {count} fields put back.' },
  },
  description:
    'Proposes to put the content of a record back as it was at an earlier version; its state and its place stay. get_record_history names the versions.',
  parameters: z.strictObject({
    table: TableName,
    uid: Uid,
    version: z.string().min(1).max(200),
  }),
  suits: ({ writes: { restore } }) => restore.length > 0,
  write: ({ table, uid, version }) => ({ table, uid, revision: version }),
})

/** Throws ToolError if the CMS has no bin for the record and would delete it permanently. */
const refuseLasting: NonNullable<WriteTool['refuse']> = ({ table }, { writes: { bin } }) => {
  if (bin.includes(table)) return
  const known = `There is one for: ${bin.join(', ')}.`
  throw new ToolError(`Records of ${table} have no bin, and nothing is deleted for good. ${known}`)
}

/** `delete_record`: moves a record into the bin of the CMS, after an approval. */
export const deleteRecord = writes({
  name: 'delete_record',
  sign: 'trash',
  en: {
    title: 'Delete a record',
    did: 'Put a record into the bin',
    doing: 'Putting a record into the bin',
    asked: 'Proposed to delete a record',
    heading: 'Put “{title}” into the bin',
    stored: '{record} is in the bin.',
  },
  description:
    'Proposes to put a record into the bin; nothing is ever deleted for good. What is on a page goes with it, pages below a page have to go first.',
  guidance:
    'Use delete_record only when the user asks to delete. To take something out of sight, hide it with set_state.',
  parameters: z.strictObject({ table: TableName, uid: Uid }),
  suits: ({ writes: { bin } }) => bin.length > 0,
  refuse: refuseLasting,
  takesAway: true,
  write: ({ table, uid }) => ({ table, uid, bin: true }),
})

/** `undelete_record`: restores a record from the bin of the CMS, after an approval. */
export const undeleteRecord = writes({
  name: 'undelete_record',
  sign: 'clock',
  en: {
    title: 'Bring a record back',
    did: 'Brought a record back from the bin',
    doing: 'Bringing a record back from the bin',
    asked: 'Proposed to bring a record back',
    heading: 'Bring “{title}” back from the bin',
    stored: '{record} is back from the bin.',
  },
  description:
    'Proposes to bring a record back from the bin to where it was, by the table and uid under which it was deleted; no other tool reads what is in the bin.',
  parameters: z.strictObject({ table: TableName, uid: Uid }),
  publishes: true,
  suits: ({ writes: { bin } }) => bin.length > 0,
  refuse: refuseLasting,
  write: ({ table, uid }) => ({ table, uid, bin: false }),
})
