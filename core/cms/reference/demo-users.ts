import type { Key } from '../../base/aws/table.ts'
import { dayMs } from '../../base/clock.ts'
import { encode, type Row, uidsOf } from './item.ts'
import { hash } from './password.ts'
import { row } from './seed-row.ts'
import { effectiveGroups } from './user.ts'

/** The password of every seeded user; only the local stage is ever seeded. */
export const password = 'demo'

const tables = 'pages,content,news,media'

/** Editors change the public tree, authors the news, visitors look. */
export function groupRows(now: number): Row[] {
  const place = { pid: 0, at: now - 700 * dayMs }
  return [
    row('be_groups', 1, place, {
      title: 'editors',
      description: 'Everything on the public site',
      tables_select: tables,
      tables_modify: tables,
      non_exclude_fields:
        'pages:nav_title,pages:keywords,pages:seo_title,pages:no_index,pages:starttime,pages:endtime,content:subheader,content:starttime,content:endtime,news:starttime,news:endtime',
      db_mountpoints: '1',
    }),
    row('be_groups', 2, place, {
      title: 'authors',
      description: 'News, in both languages',
      tables_select: tables,
      tables_modify: 'news',
      non_exclude_fields: 'content:subheader',
      db_mountpoints: '1',
    }),
    row('be_groups', 3, place, {
      title: 'visitors',
      description: 'Look at the public site',
      tables_select: tables,
      db_mountpoints: '1',
    }),
  ]
}

/** The users that the login page of the local stage lists. */
export function userRows(now: number): Row[] {
  const user = (uid: number, fields: Row['fields'], daysAgo: number) =>
    row('be_users', uid, { pid: 0, at: now - daysAgo * dayMs }, fields)
  return [
    user(1, { username: 'admin', name: 'Ada Lindqvist', email: 'ada@northlight.example', admin: true }, 700),
    user(
      2,
      { username: 'editor', name: 'Edgar Holm', email: 'edgar@northlight.example', usergroup: '1' },
      640,
    ),
    user(
      3,
      {
        username: 'autorin',
        name: 'Astrid Winter',
        email: 'astrid@northlight.example',
        usergroup: '2',
        lang: 'de',
      },
      410,
    ),
    user(
      4,
      { username: 'guest', name: 'Gustav Berg', email: 'gustav@northlight.example', usergroup: '3' },
      90,
    ),
    user(
      5,
      {
        username: 'redakteurin',
        name: 'Ronja Falk',
        email: 'ronja@northlight.example',
        usergroup: '1',
        lang: 'de',
      },
      60,
    ),
  ]
}

/** The users with their passwords and effective groups. */
export function userItems(now: number): Promise<(Key & Record<string, unknown>)[]> {
  const groups = new Map(groupRows(now).map((group) => [group.uid, group]))
  return Promise.all(
    userRows(now).map(async (user) =>
      encode(user, {
        password: await hash(password),
        effective_groups: effectiveGroups(uidsOf(user, 'usergroup'), groups),
      }),
    ),
  )
}
