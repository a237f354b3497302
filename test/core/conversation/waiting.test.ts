import { afterEach, expect, test } from 'vitest'
import * as Table from '../../../core/base/aws/table.ts'
import * as Waiting from '../../../core/conversation/waiting.ts'

const now = Date.parse('2026-03-01T12:00:00Z')
const calm = { waitMs: 0, waits: {}, tokens: 5 }
const crowded = { waitMs: 164_000, waits: { 'user-2': 164_000 }, tokens: 5 }

afterEach(() => Table.remove(Waiting.key))

test.each([
  ['of a cleanup that was held up does not replace a later one', calm, 0, crowded, -164_000, calm],
  ['replaces one of the same moment', crowded, 0, calm, 0, calm],
  ['replaces one that a wrong clock put into the far future', crowded, 3_600_000, calm, 0, calm],
])('an observation %s', async (_, first, firstMs, second, secondMs, left) => {
  await Waiting.note(first, now + firstMs)
  await Waiting.note(second, now + secondMs)

  expect(Waiting.decode(await Table.get(Waiting.key), now)).toEqual(left)
})
