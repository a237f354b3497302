import { HeadingLevel } from 'docx'
import { expect, test } from 'vitest'
import { sha256 } from '../../../../core/base/hash.ts'
import { extract, extractOnce } from '../../../../core/file/document/extract.ts'
import { extractKey } from '../../../../core/file/item.ts'
import * as Store from '../../../../core/file/store.ts'
import { docx, pdf, sheetParts, xlsx, zip } from '../../../support/documents.ts'

test('a PDF becomes its text, page by page', async () => {
  const file = await pdf(['Guten Tag, Grüße', 'Second page'])

  expect(await extract(file, 'pdf')).toEqual({
    state: 'whole',
    text: '## Page 1\n\nGuten Tag, Grüße\n\n## Page 2\n\nSecond page',
    extent: { unit: 'page', from: 1, to: 2, total: 2 },
    leftOut: [],
  })
})

test('a PDF without a text layer says so', async () => {
  expect(await extract(await pdf(['', '']), 'pdf')).toEqual({
    state: 'noText',
    text: '',
    extent: { unit: 'page', from: 1, to: 2, total: 2 },
    leftOut: [],
    unread: [1, 2],
  })
})

test('of a long PDF the first 200 pages are read', async () => {
  const file = await pdf(Array.from({ length: 203 }, (_, at) => `Text of sheet ${at + 1}.`))

  const { state, text, extent } = await extract(file, 'pdf')

  expect({ state, extent, end: text.slice(-37) }).toEqual({
    state: 'truncated',
    extent: { unit: 'page', from: 1, to: 200, total: 203 },
    end: '199.\n\n## Page 200\n\nText of sheet 200.',
  })
})

test('a long PDF is read on from a page', async () => {
  const file = await pdf(Array.from({ length: 203 }, (_, at) => `Text of sheet ${at + 1}.`))

  expect(await extract(file, 'pdf', {}, { from: 203 })).toEqual({
    state: 'truncated',
    text: '## Page 203\n\nText of sheet 203.',
    extent: { unit: 'page', from: 203, to: 203, total: 203 },
    leftOut: [],
  })
  expect(await extract(file, 'pdf', {}, { from: 5, characters: 100 })).toMatchObject({
    text: expect.stringMatching(/^## Page 5\n/),
    extent: { unit: 'page', from: 5, to: 7, total: 203 },
  })
})

test('a long sheet is read on from a row, with an outline of all sheets', async () => {
  const rows = Array.from({ length: 5_001 }, (_, at) => [at + 1, `Lamp ${at + 1}`])
  const file = await xlsx({ Lamps: [['No', 'Name'], ...rows], Notes: [['Checked']] })

  const first = await extract(file, 'xlsx')
  const rest = await extract(file, 'xlsx', {}, { from: 5_001 })

  expect(first).toMatchObject({
    state: 'truncated',
    extent: { unit: 'row', from: 1, to: 5_000, total: 5_003 },
    outline:
      '## Lamps: 5002 rows, 2 columns; first row: No | Name\n## Notes: 1 rows, 1 columns; first row: Checked',
  })
  expect(rest).toMatchObject({
    text: '## Lamps (from row 5001 of this sheet on; its first row: No | Name)\n\n5000\tLamp 5000\n5001\tLamp 5001\n\n## Notes\n\nChecked',
    extent: { unit: 'row', from: 5_001, to: 5_003, total: 5_003 },
  })
})

test('a text is read on from a character, and its headings are its outline', async () => {
  const file = Buffer.from(`# One\n${'x'.repeat(100)}\n# Two\nend`)

  expect(await extract(file, 'md', {}, { from: 108, characters: 5 })).toEqual({
    state: 'truncated',
    text: '# Two',
    extent: { unit: 'character', from: 108, to: 112, total: 116 },
    leftOut: [],
    outline: '# One (character 1)\n# Two (character 108)',
  })
})

test('a PDF with a password says so', async () => {
  const secret = await pdf(['Secret'], { userPassword: 'x', ownerPassword: 'y' })

  expect(await extract(secret, 'pdf')).toEqual({ state: 'protected', text: '', extent: null, leftOut: [] })
})

test('a Word document keeps headings, lists and tables', async () => {
  const file = await docx([
    { text: 'Prices', heading: HeadingLevel.HEADING_1 },
    'Valid & final.',
    { text: 'Lamps', bullet: { level: 0 } },
    { text: 'Aurora', bullet: { level: 1 } },
    [
      ['Name', 'Price'],
      ['Aurora | lamp', '149 EUR'],
    ],
  ])

  expect(await extract(file, 'docx')).toEqual({
    state: 'whole',
    text: `# Prices

Valid & final.

- Lamps
  - Aurora

| Name | Price |
| --- | --- |
| Aurora \\| lamp | 149 EUR |`,
    extent: { unit: 'character', from: 1, to: 105, total: 105 },
    leftOut: [],
  })
})

test('a workbook becomes rows of cells under the names of its sheets', async () => {
  const file = await xlsx({
    Prices: [
      ['Name', 'EUR', 'Since', 'On sale'],
      ['Aurora', 149.5, new Date(Date.UTC(2026, 1, 3)), true],
    ],
    Empty: [],
  })

  expect(await extract(file, 'xlsx')).toEqual({
    state: 'whole',
    text: '## Prices\n\nName\tEUR\tSince\tOn sale\nAurora\t149.5\t2026-02-03\ttrue\n\n## Empty\n\n(empty)',
    sheets: 2,
    extent: { unit: 'row', from: 1, to: 2, total: 2 },
    leftOut: [],
  })
})

test('of a long sheet the first 5,000 rows are read', async () => {
  const rows = Array.from({ length: 5_001 }, (_, at) => `<row r="${at + 1}"><c><v>${at + 1}</v></c></row>`)
  const file = await zip(sheetParts(`<sheetData>${rows.join('')}</sheetData>`))

  const { state, text } = await extract(file, 'xlsx')

  expect({ state, end: text.slice(-9) }).toEqual({ state: 'truncated', end: '4999\n5000' })
})

test('a workbook of empty sheets has no text', async () => {
  expect(await extract(await xlsx({ A: [], B: [] }), 'xlsx')).toEqual({
    state: 'noText',
    text: '',
    extent: null,
    leftOut: [],
  })
})

test('a text beyond 400,000 characters is cut at the end of a line', async () => {
  const line = 'Sixteen letters.'
  const file = Buffer.from(Array.from({ length: 30_000 }, () => line).join('\n'))

  const { state, text } = await extract(file, 'txt')

  expect({ state, end: text.endsWith(`\n${line}`), isNear: text.length > 399_900 }).toEqual({
    state: 'truncated',
    end: true,
    isNear: true,
  })
  expect(text.length).toBeLessThanOrEqual(400_000)
})

test('the same content is read once for all users', async () => {
  const file = Buffer.from('Only once')
  const hash = sha256(file)
  const never = () => Promise.reject(new Error('was read twice'))

  const first = await extractOnce(hash, 'txt', async () => file, 1_000)
  const second = await extractOnce(hash, 'txt', never, 2_000)

  expect([first, second]).toEqual(
    Array.from({ length: 2 }, () => ({
      state: 'whole',
      text: 'Only once',
      extent: { unit: 'character', from: 1, to: 9, total: 9 },
      leftOut: [],
    })),
  )
})

const cutBy = (cause: object) =>
  JSON.stringify({
    revision: 11,
    at: 0,
    extraction: { state: 'truncated', text: 'Begin', extent: null, leftOut: [], ...cause },
  })

test.each([
  ['time is read again after an hour', { isCutByTime: true }, 'Begin and end'],
  ['size is kept', {}, 'Begin'],
  ['memory is read again after an hour', { state: 'tooLarge' }, 'Begin and end'],
])('a text that was cut by %s', async (_, cause, text) => {
  const file = Buffer.from('Begin and end')
  const hash = sha256(Buffer.from(text + JSON.stringify(cause)))
  await Store.put(extractKey(hash), cutBy(cause), { contentType: 'application/json' })
  const at = async (now: number) => (await extractOnce(hash, 'txt', async () => file, now))?.text

  expect([await at(3_600_000), await at(3_600_001)]).toEqual(['Begin', text])
})

test('content that is gone has no extraction', async () => {
  expect(await extractOnce('0'.repeat(64), 'txt', async () => undefined, 0)).toBeUndefined()
})
