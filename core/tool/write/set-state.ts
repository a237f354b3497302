import * as z from 'zod'
import { Moment, State, TableName, Target } from '../schema.ts'
import { writes } from '../tool.ts'

/** The headings for the states of the known CMSs; another state has the general one. */
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
  words: {
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
  dataClass: 'internal',
  adminOnly: false,
  publishes: true,
  suits: ({ writes }) => writes.state.length > 0,
  write: ({ table, uid, state, from, until }) => ({
    table,
    uid,
    state: { state, ...(from && { from: utc(from) }), ...(until && { until: utc(until) }) },
  }),
})
