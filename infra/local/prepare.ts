import type { Actor } from '../../core/base/actor.ts'
import * as Table from '../../core/base/aws/table.ts'
import { dayMs } from '../../core/base/clock.ts'
import { config } from '../../core/base/config.ts'
import * as Conversations from '../../core/chat/conversation.ts'
import * as Item from '../../core/conversation/item.ts'
import * as Quota from '../../core/conversation/quota.ts'
import { live } from '../../core/live.ts'
import type { Settings } from '../../core/stage/settings/schema.ts'
import { apply } from '../../core/stage/settings/settings.ts'
import * as Cleanup from '../../core/watch/cleanup/cleanup.ts'
import { takeOver } from '../../core/watch/cleanup/stuck-turns.ts'
import { seedPictures } from './seed/content.ts'
import { seed } from './seed/seed.ts'

/** The user of the seeded site who has a conversation of an earlier release. */
const editorUid = 2

/**
 * Prepares the data of the stage at each start. Adds the sample site to an empty stage, stores the settings, and queues
 * the turns of an earlier start again. Finally runs cleanup once. A connected CMS gets no data and no call, because it may
 * be down.
 */
export async function handler({ settings }: { settings: Settings }): Promise<void> {
  const now = Date.now()
  if (config().cms) {
    await apply(settings)
    await takeOver(now)
    return
  }
  await Promise.all([seed({ table: config().cmsTable ?? '' }, now), seedPictures()])
  await apply(settings)
  const editor = await live().cms.user(editorUid)
  if (editor) await seedLegacy(editor, now)
  await takeOver(now)
  await Cleanup.run(live(), { now })
}

const marker: Table.Key = { pk: 'seed', sk: 'legacy' }

/**
 * Stores one conversation of the user in the form of an earlier release: its transcript is in the old column, without
 * message rows. With it, people can try to read, move and upgrade such conversations. It is stored once per data
 * folder: a user who deletes it does not get it back.
 */
async function seedLegacy(actor: Actor, now: number): Promise<void> {
  const createdAt = new Date(now - dayMs).toISOString()
  const conversation: Item.Conversation = {
    ...Item.empty(Conversations.newId(actor, now - dayMs), now - dayMs),
    title: 'Legacy conversation',
    titleFixed: true,
    legacy: transcript,
    createdAt,
    updatedAt: new Date(now - dayMs / 24).toISOString(),
  }
  const isAbsent = { condition: 'attribute_not_exists(pk)' }
  await Table.transact([
    Table.putWrite({ ...marker, created_at: createdAt }, isAbsent),
    Table.putWrite(Item.encode(conversation), isAbsent),
    Quota.count(actor.uid, null),
  ])
}

const transcript: Item.Conversation['legacy'] = [
  { role: 'user', content: 'Which lamps do we sell?' },
  {
    role: 'assistant',
    content: 'The products section lists the **Aurora lamp**. Its page names the price: 149 EUR.',
  },
  { role: 'user', content: 'And where does the page tree show it?' },
  { role: 'assistant', content: 'Below Home > Products, as “Aurora lamp”.' },
]
