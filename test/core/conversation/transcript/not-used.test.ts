import { beforeAll, expect, test } from 'vitest'
import { loadLanguage } from '../../../../core/base/language.ts'
import { notUsedNotice, useWords } from '../../../../core/conversation/transcript/not-used.ts'
import type { FileUse } from '../../../../core/file/document/schema.ts'

beforeAll(async () => {
  await loadLanguage('de')
  await loadLanguage('fr')
})

const use = (state: FileUse['state'], over: Partial<FileUse> = {}): FileUse => ({
  state,
  leftOut: [],
  ...over,
})
const part = (unit: 'page' | 'slide' | 'row' | 'character', to: number, total: number | null) => ({
  part: { unit, from: 1, to, total },
})

test.each<[FileUse, string]>([
  [use('truncated', part('page', 12, 300)), 'Read in part: 12 of 300 pages.'],
  [use('whole', part('page', 12, 12)), 'Read whole: 12 pages.'],
  [use('whole', part('page', 1, 1)), 'Read whole.'],
  [use('whole', part('character', 900, 900)), 'Read whole.'],
  [use('truncated', part('character', 900, 1_900)), 'Read in part: 900 of 1,900 characters.'],
  [use('truncated', part('row', 5_000, null)), 'Read in part.'],
  [use('whole', part('slide', 4, 4)), 'Read whole: 4 slides.'],
  [
    use('whole', { sheets: 3, leftOut: ['pictures', 'charts'], ...part('row', 1_204, 1_204) }),
    'Read whole: 3 sheets, 1,204 rows. Not read: pictures; charts and diagrams.',
  ],
  [use('sent', part('page', 9, 9)), 'Given to the assistant as it is: 9 pages.'],
  [use('protected'), 'Not used: it is protected by a password.'],
])('the use %j of a file is told as %s', (given, words) => {
  expect(useWords(given, 'en')).toBe(words)
})

test('the use of a file is told in the language of its user', () => {
  const given = use('truncated', { leftOut: ['pictures'], ...part('row', 5_000, 12_000) })

  expect([useWords(given, 'de'), useWords(given, 'fr')]).toEqual([
    'Zum Teil gelesen: 5.000 von 12.000 Zeilen. Nicht gelesen: Bilder.',
    'Lu en partie\u202f: 5\u202f000 lignes sur 12\u202f000. Non lu\u202f: images.',
  ])
})

test.each([
  [
    'en',
    'The assistant got the characters 1 to 258,218 of 1,900,000 of the file “list.txt”; it can read on.',
  ],
  [
    'de',
    'Von der Datei „list.txt“ wurden die Zeichen 1 bis 258.218 von 1.900.000 mitgegeben; der Assistent kann weiterlesen.',
  ],
])('the notice of a file that was read in part has the numbers of the language %s', (lang, content) => {
  const file = { fileUid: 1, name: 'list.txt', ...use('truncated'), ...part('character', 258_218, 1_900_000) }

  expect(notUsedNotice([file], lang, '2026-11-20T12:00:00Z', 'run')).toMatchObject({
    content,
  })
})
