import { expect, test } from 'vitest'
import { UsageError } from '../../scripts/command.ts'
import { refuseNobody } from '../../scripts/user-argument.ts'

const editor = { uid: 2, username: 'editor', name: 'Edda', isAdmin: false, groups: [1], lang: 'en' }
const cms = { user: async (uid: number) => (uid === 2 ? editor : undefined) }

test('a user of whom nothing is stored is refused where the CMS does not know them either', async () => {
  await refuseNobody(cms, 2, 0)
  await refuseNobody(cms, 99, 1)

  await expect(refuseNobody(cms, 99, 0)).rejects.toThrow(
    new UsageError('Nothing is stored of a user 99, and the CMS has none.'),
  )
})
