import type { Actor } from '../../core/base/actor.ts'
import { config } from '../../core/base/config.ts'
import { reference } from '../../core/cms/reference/reference.ts'
import { siteFile } from '../../core/file/site-files.ts'
import { seed } from '../../infra/local/seed/seed.ts'

/** The seeded site with its users, in the CMS table of this test file or in another one. */
export async function seededCms(now: number, table = config().cmsTable ?? '') {
  await seed({ table }, now)
  /** The adapter of a process of its own: it shares no request with another one. */
  const open = () => reference({ table, clock: () => now, file: siteFile })
  const cms = open()
  const actor = async (uid: number): Promise<Actor> => {
    const found = await cms.user(uid)
    if (!found) throw new Error(`There is no user ${uid}`)
    return found
  }
  const [admin, editor, autorin, guest, redakteurin] = await Promise.all([1, 2, 3, 4, 5].map(actor))
  if (!admin || !editor || !autorin || !guest || !redakteurin) throw new Error('The site is not seeded')
  return { table, cms, open, actor, admin, editor, autorin, guest, redakteurin }
}
