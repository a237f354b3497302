import * as Cleanup from '../../core/cleanup/cleanup.ts'
import { live } from '../../core/live.ts'
import { apply } from '../../core/settings/apply.ts'
import type { Settings } from '../../core/settings/schema.ts'
import { config } from '../../core/stage/config.ts'
import { seedLegacy } from './legacy.ts'
import { seedPictures } from './seed/media.ts'
import { seed } from './seed/seed.ts'

/** The user of the seeded site who has a conversation of an earlier release. */
const editorUid = 2

/**
 * Makes the data of the stage ready at each start: the seeded site where there is none yet, the settings, the turns of
 * consumers that an earlier start had, and one cleanup. A CMS elsewhere gets nothing and is not asked: it may be down.
 */
export async function handler({ settings }: { settings: Settings }): Promise<void> {
  const now = Date.now()
  if (config().cms) {
    await apply(settings)
    await Cleanup.takeOver(now)
    return
  }
  await Promise.all([seed({ table: config().cmsTable ?? '' }, now), seedPictures()])
  await apply(settings)
  const editor = await live().cms.user(editorUid)
  if (editor) await seedLegacy(editor, now)
  await Cleanup.takeOver(now)
  await Cleanup.run(live(), { now })
}
