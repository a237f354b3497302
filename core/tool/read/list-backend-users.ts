import * as z from 'zod'
import type { BackendUser } from '../../cms/cms.ts'
import { count, marks, when } from '../format.ts'
import { reads } from '../tool.ts'

/** `list_backend_users`: users, without any secret of theirs; administrators only. */
export const listBackendUsers = reads({
  name: 'list_backend_users',
  sign: 'user',
  words: {
    en: { title: 'Backend users', did: 'Listed the backend users', doing: 'Listing the backend users' },
  },
  description: 'The backend users with uid, name, groups, language and last login.',
  parameters: z.strictObject({}),
  dataClass: 'restricted',
  adminOnly: true,
  suits: ({ users }) => users,
  async run(_, { actor, cms }) {
    const users = await cms.users(actor)
    return [`${count(users.length, 'backend user')}:`, ...users.map(describe)].join('\n')
  },
})

function describe(user: BackendUser): string {
  const notes = marks(['administrator', user.isAdmin], ['disabled', user.disabled])
  const groups = user.groups.join(', ') || 'none'
  const login = user.lastLogin ? when(user.lastLogin) : 'never'
  return `- [${user.uid}] ${user.username}, ${user.name || 'no name'}${notes}; groups: ${groups}; language: ${user.lang}; last login: ${login}`
}
