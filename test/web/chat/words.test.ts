import { describe, expect, test, vi } from 'vitest'
import de from '../../../core/base/languages/de/chat.json'
import en from '../../../core/base/languages/en/chat.json'
import fr from '../../../core/base/languages/fr/chat.json'
import { FailureCode } from '../../../core/conversation/schema.ts'
import { Notice } from '../../../core/conversation/transcript/schema.ts'
import { plannedTime } from '../../../web/chat/approval/target.ts'
import { languageOf, translator } from '../../../web/chat/i18n/i18n.ts'
import { Format } from '../../../web/chat/reader-format.ts'
import { duration } from '../../../web/chat/steps/timeline.ts'
import { sizeOfFile } from '../../../web/chat/view/media.ts'

describe('the words', () => {
  test.each([...FailureCode.options])('explain a failure with %s', (code) => {
    expect(en).toHaveProperty([`failed.${code}`])
    expect(en).toHaveProperty([`failed.${code}.text`])
  })

  test.each([...Notice.options])('explain the notice %s', (notice) => {
    expect(en).toHaveProperty([`notice.${notice}`])
  })

  test.each([
    ['de-AT', 'de'],
    ['fr-CA', 'fr'],
    ['en', 'en'],
    ['eo', 'en'],
    ['', 'en'],
    [undefined, 'en'],
  ])('for %s is %s', (tag, language) => {
    expect(languageOf(tag)).toBe(language)
  })
})

describe('a sentence', () => {
  const t = translator('en', en)

  test.each([
    [1, '1 step, 2 s'],
    [4, '4 steps, 2 s'],
    [1_200, '1,200 steps, 2 s'],
  ])('has the form for %i', (count, expected) => {
    expect(t('steps.summary', { count, time: '2 s' })).toBe(expected)
  })

  test.each([
    [0, '0 étape, 2 s'],
    [1, '1 étape, 2 s'],
    [1_200, '1\u202f200 étapes, 2 s'],
    [2_000_000, '2\u202f000\u202f000 étapes, 2 s'],
  ])('has the form and the digits of its language for %i', (count, expected) => {
    expect(translator('fr', fr)('steps.summary', { count, time: '2 s' })).toBe(expected)
  })

  test('keeps text of the user as it is', () => {
    expect(t('file.remove', { name: '{count} $& a.pdf' })).toBe('Remove {count} $& a.pdf')
  })
})

describe('times', () => {
  const format = new Format('en', translator('en', en))
  const german = new Format('de', translator('de', de))
  const french = new Format('fr', translator('fr', fr))
  const now = new Date(2026, 10, 20, 15, 0).getTime()
  const at = (...parts: [number, number, number, number, number]) => new Date(...parts).toISOString()

  test.each([
    ['today', at(2026, 10, 20, 14, 32), '14:32', '14:32'],
    ['this week', at(2026, 10, 17, 16, 2), 'Tue 16:02', 'Tue'],
    ['before', at(2026, 9, 2, 10, 2), '2 Oct 10:02', '2 Oct'],
    ['another year', at(2025, 9, 2, 10, 2), '2 Oct 2025 10:02', '2 Oct 2025'],
  ])('%s', (_, moment, long, short) => {
    expect(format.moment(moment, now)).toBe(long)
    expect(format.when(moment, now)).toBe(short)
  })

  test.each([
    ['en-GB', format],
    ['de', german],
    ['fr', french],
  ])('have the names that the browser knows in %s', (locale, own) => {
    const weekday = new Intl.DateTimeFormat(locale, { weekday: 'short' })
    const date = new Intl.DateTimeFormat(locale, { day: 'numeric', month: 'short', year: 'numeric' })
    const week = Array.from({ length: 7 }, (_, day) => at(2026, 10, 13 + day, 9, 0))
    const year = Array.from({ length: 12 }, (_, month) => at(2025, month, 14, 9, 0))
    const after = (day: string) => Date.parse(day) + 86_400_000

    expect(week.map((day) => own.when(day, after(day)))).toEqual(
      week.map((day) => weekday.format(new Date(day))),
    )
    expect(year.map((day) => own.when(day, now))).toEqual(year.map((day) => date.format(new Date(day))))
  })

  test('of log and history need no formatter of the browser, whose first takes long', () => {
    const made = vi.spyOn(Intl, 'DateTimeFormat')

    const words = new Format('de', translator('de', de)).moment(at(2025, 9, 2, 10, 2), now)

    expect([words, made.mock.calls]).toEqual(['2. Okt. 2025 10:02', []])
    made.mockRestore()
  })

  test.each([
    [at(2026, 10, 30, 8, 0), /^Monday,? 30 November 2026 at 08:00 \S.*, in 10 days$/],
    [at(2026, 10, 21, 1, 0), /^Saturday,? 21 November 2026 at 01:00 \S.*, tomorrow$/],
    [at(2026, 10, 20, 18, 0), /^Friday,? 20 November 2026 at 18:00 \S.*, in 3 hours$/],
    [at(2026, 10, 18, 8, 0), /^Wednesday,? 18 November 2026 at 08:00 \S.*, 2 days ago$/],
  ])('of a plan name the day, the zone and how far away it is: %s', (moment, words) => {
    expect(plannedTime(format, moment, now)).toMatch(words)
  })

  test('of a deadline are days', () => {
    expect(format.day(at(2026, 10, 27, 9, 0))).toBe('27 Nov')
    expect(german.day(at(2026, 10, 27, 9, 0))).toBe('27. November')
    expect(french.day(at(2026, 10, 27, 9, 0))).toBe('27 novembre')
  })

  test.each([
    [20, '0.1 s', '0,1 Sek.'],
    [1_340, '1.3 s', '1,3 Sek.'],
    [31_000, '31 s', '31 Sek.'],
    [120_000, '2 min', '2 Min.'],
    [125_000, '2 min 5 s', '2 Min. 5 Sek.'],
  ])('%i ms', (ms, english, inGerman) => {
    expect(duration({ t: translator('en', en), format }, ms)).toBe(english)
    expect(duration({ t: translator('de', de), format: german }, ms)).toBe(inGerman)
  })

  test.each([
    [512, '512 B', '512 o'],
    [840_000, '840 KB', '840 Ko'],
    [1_240_000, '1.2 MB', '1,2 Mo'],
  ])('%i bytes', (bytes, english, inFrench) => {
    expect(sizeOfFile({ t: translator('en', en), format }, bytes)).toBe(english)
    expect(sizeOfFile({ t: translator('fr', fr), format: french }, bytes)).toBe(inFrench)
  })
})
