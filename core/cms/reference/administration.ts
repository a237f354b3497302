import { dayMs } from '../../base/clock.ts'
import type { BackendUser } from '../cms.ts'
import { isTranslation, type Row, textOf, uidsOf } from './item.ts'
import { rootline } from './permission.ts'
import * as Rows from './rows.ts'
import type { Site } from './site.ts'

/** The users and facts of the system, for administrators alone. */

/** Backend users by uid, without hashes; an empty list for users who are no administrators. */
export async function users(site: Site): Promise<BackendUser[]> {
  if (!site.rights.isAdmin) return []
  const rows = await Rows.all(site.store, 'be_users')
  return rows.map((row) => ({
    uid: row.uid,
    username: textOf(row, 'username'),
    name: textOf(row, 'name'),
    isAdmin: row.fields.admin === true,
    disabled: row.fields.disable === true,
    groups: uidsOf(row, 'usergroup').flatMap((uid) => {
      const group = site.groups.get(uid)
      return group ? [textOf(group, 'title')] : []
    }),
    lang: textOf(row, 'lang'),
    lastLogin: textOf(row, 'lastlogin') || null,
  }))
}

/** Figures of the CMS for the system status; nothing for others than administrators. */
export async function facts(site: Site, now: number): Promise<Record<string, string | number>> {
  if (!site.rights.isAdmin) return {}
  const [content, news, backendUsers] = await Promise.all(
    ['content', 'news', 'be_users'].map((table) => Rows.all(site.store, table)),
  )
  const inPlace = (rows: Row[] = []) => rows.filter(({ pid }) => pid === 0 || rootline(site.pages, pid))
  return {
    cms: 'reference CMS',
    languages: site.languages.map((language) => language.locale).join(', '),
    pages: [...site.pages.values()].filter((page) => !isTranslation(page)).length,
    contentElements: inPlace(content).length,
    news: inPlace(news).length,
    backendUsers: backendUsers?.length ?? 0,
    errorsOfLastDay: await errorsSince(site, now - dayMs),
  }
}

async function errorsSince(site: Site, since: number): Promise<number> {
  let count = 0
  for await (const row of Rows.newest(site.store, 'sys_log')) {
    if (row.createdAt < since) break
    if (['error', 'critical'].includes(textOf(row, 'level'))) count++
  }
  return count
}
