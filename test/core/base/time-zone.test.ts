import { expect, test, vi } from 'vitest'
import { describeDay, TimeZone } from '../../../core/base/time-zone.ts'
import { StoredViewContext } from '../../../core/conversation/schema.ts'
import { check } from '../../../core/stage/settings/check.ts'
import { Settings } from '../../../core/stage/settings/schema.ts'
import { settings } from '../../support/settings.ts'

const justBeforeMidnight = Date.parse('2026-11-22T23:30:00Z')

test.each([
  ['UTC', 'Sunday, 2026-11-22, in UTC (GMT+00:00)'],
  ['Europe/Berlin', 'Monday, 2026-11-23, in Europe/Berlin (GMT+01:00)'],
  ['America/New_York', 'Sunday, 2026-11-22, in America/New_York (GMT-05:00)'],
  ['Asia/Kathmandu', 'Monday, 2026-11-23, in Asia/Kathmandu (GMT+05:45)'],
])('the day in %s is %s', (zone, day) => {
  expect(describeDay(justBeforeMidnight, zone)).toBe(day)
})

test.each([
  ['Europe/Berlin', true],
  ['Europe/Atlantis', false],
  ['', false],
  ['constructor', false],
  [`Europe/${'a'.repeat(80)}`, false],
])('%j is a time zone: %j', (name, isZone) => {
  expect(TimeZone.safeParse(name).success).toBe(isZone)
})

test('what is stored is read without the zones of the runtime, which cost a cold start 15 ms', () => {
  const stored = settings({ timeZone: 'Europe/Berlin' })
  const zones = vi.spyOn(Intl, 'DateTimeFormat')
  const view = { pageId: 3, module: 'page', timeZone: 'Europe/Berlin' }

  expect(Settings.parse(stored).timeZone).toBe('Europe/Berlin')
  expect(StoredViewContext.parse(view)).toEqual(view)
  expect(zones).not.toHaveBeenCalled()
  zones.mockRestore()
})

test('settings with a zone that nobody knows are refused before they are stored', () => {
  expect(check({ ...settings(), timeZone: 'Europe/Nowhere' }).mistakes).toEqual([
    { path: 'timeZone', message: 'a time zone of the IANA database' },
  ])
})
