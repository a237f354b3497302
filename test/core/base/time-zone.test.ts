import { expect, test } from 'vitest'
import { describeDay, TimeZone } from '../../../core/base/time-zone.ts'

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
