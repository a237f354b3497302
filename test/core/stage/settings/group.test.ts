import { expect, test } from 'vitest'
import type { Actor } from '../../../../core/base/actor.ts'
import { mayChat } from '../../../../core/stage/settings/group.ts'

const actor = (over: Partial<Actor>): Actor => ({
  uid: 2,
  username: 'editor',
  name: 'Editor',
  isAdmin: false,
  groups: [],
  lang: 'en',
  ...over,
})

test.each([
  { who: 'a member of an allowed group', groups: [2], isAdmin: false, allowed: [1, 2], may: true },
  {
    who: 'a member of an allowed group among others',
    groups: [7, 1],
    isAdmin: false,
    allowed: [1],
    may: true,
  },
  { who: 'a member of another group', groups: [3], isAdmin: false, allowed: [1, 2], may: false },
  { who: 'a user without groups', groups: [], isAdmin: false, allowed: [1, 2], may: false },
  { who: 'an administrator without groups', groups: [], isAdmin: true, allowed: [1, 2], may: true },
  { who: 'anybody where no group is named', groups: [], isAdmin: false, allowed: [], may: true },
])('$who: $may', ({ groups, isAdmin, allowed, may }) => {
  expect(mayChat(actor({ groups, isAdmin }), { allowedGroups: allowed })).toBe(may)
})
