import { expect, test } from 'vitest'
import { apply, load } from '../../../../core/stage/settings/settings.ts'
import { settings } from '../../../support/settings.ts'

test('applies once, and writes nothing when nothing differs', async () => {
  expect(await apply(settings())).toBe(true)
  expect(await apply(settings())).toBe(false)
  expect(await apply(settings({ pollIntervalMs: 2_000 }))).toBe(true)
  expect(await apply(settings({ pollIntervalMs: 2_000 }))).toBe(false)
  expect((await load(0)).pollIntervalMs).toBe(2_000)
})

test('of the same settings applied by many at once, one changes them', async () => {
  const given = settings({ maxMessageLength: 4_321 })

  const changed = await Promise.all(Array.from({ length: 10 }, () => apply(given)))

  expect(changed.filter(Boolean)).toHaveLength(1)
})
