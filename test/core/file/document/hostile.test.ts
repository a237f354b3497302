import { readFile } from 'node:fs/promises'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { extract } from '../../../../core/file/document/extract.ts'
import type { State } from '../../../../core/file/document/schema.ts'
import type { Format } from '../../../../core/file/format.ts'
import { docx, sheetParts, wordParts, zip } from '../../../support/documents.ts'
import * as Hostile from '../../../support/hostile.ts'

type Case = [
  name: string,
  format: Format,
  make: () => Buffer | Promise<Buffer>,
  state: State,
  processorMs?: number,
]

const cases: Case[] = [
  ['a PDF that is cut off', 'pdf', Hostile.pdfCut, 'damaged'],
  ['a PDF that is garbled', 'pdf', Hostile.pdfGarbled, 'damaged'],
  ['a PDF whose page tree contains itself', 'pdf', Hostile.pdfLoop, 'damaged'],
  ['a PDF page that unpacks to a gigabyte', 'pdf', Hostile.pdfBomb, 'tooLarge'],
  ['a PDF page that is packed twice', 'pdf', Hostile.pdfDoubleBomb, 'tooLarge'],
  ['a PDF page of two million letters', 'pdf', Hostile.pdfManyOperators, 'tooSlow', 3_000],
  ['a Word document with 40 MB of text', 'docx', Hostile.wordLongText, 'tooLarge'],
  ['a Word document of a million paragraphs', 'docx', Hostile.wordManyParagraphs, 'tooLarge'],
  ['a Word document with a table of 100,000 cells', 'docx', Hostile.wordManyCells, 'tooLarge'],
  ['a Word document of 3,000 tables in each other', 'docx', Hostile.wordDeepTables, 'damaged'],
  ['a Word document of entities', 'docx', Hostile.wordEntities, 'damaged'],
  ['a Word document with macros', 'docx', Hostile.wordMacros, 'macros'],
  ['a Word document of the type with macros', 'docx', Hostile.wordMacroType, 'macros'],
  ['a Word document of 2,001 parts', 'docx', Hostile.zipManyEntries, 'tooLarge'],
  ['a Word document that has its text twice', 'docx', Hostile.zipDoubledEntry, 'damaged'],
  ['a Word document whose sizes are lies', 'docx', Hostile.zipLyingSizes, 'damaged'],
  ['a Word document whose parts overlap', 'docx', Hostile.zipOverlap, 'damaged'],
  ['a Word document that is encrypted', 'docx', Hostile.zipEncrypted, 'protected'],
  ['a Word document that is cut off', 'docx', Hostile.zipCut, 'damaged'],
  ['a Word document that is garbled', 'docx', Hostile.zipGarbled, 'damaged'],
  ['a workbook in place of a Word document', 'docx', () => zip(sheetParts('<sheetData/>')), 'damaged'],
  ['a Word document in place of a workbook', 'xlsx', () => zip(wordParts('<w:p/>')), 'damaged'],
  ['a workbook with a sheet of 300 MB', 'xlsx', Hostile.sheetHuge, 'tooLarge'],
  ['a workbook with a sheet of 40 MB', 'xlsx', Hostile.sheetLarge, 'truncated'],
  ['a workbook with a string of 50 MB', 'xlsx', Hostile.sheetLongString, 'tooLarge'],
  ['a workbook with its first and its last cell', 'xlsx', Hostile.sheetCorners, 'whole'],
  ['a workbook whose cells are all one', 'xlsx', Hostile.sheetMerged, 'whole'],
  ['a presentation with 40 MB of text', 'pptx', Hostile.slideLong, 'tooLarge'],
  ['a presentation with macros', 'pptx', Hostile.slideMacros, 'macros'],
  ['a presentation of a million paragraphs', 'pptx', Hostile.slideParagraphs, 'tooLarge'],
  ['an OpenDocument text of 3,000 tables in each other', 'odt', Hostile.textDeepTables, 'damaged'],
  ['an OpenDocument text of endless spaces', 'odt', Hostile.textSpaces, 'whole'],
  ['an OpenDocument text of a million paragraphs', 'odt', Hostile.textParagraphs, 'tooLarge'],
  ['an OpenDocument workbook of one cell everywhere', 'ods', Hostile.sheetRepeated, 'truncated'],
  ['an RTF file of 100,000 groups in each other', 'rtf', Hostile.richDeep, 'damaged'],
  ['an RTF file with a lie about its bytes', 'rtf', Hostile.richLyingBytes, 'whole'],
  ['an RTF file of control words', 'rtf', Hostile.richControls, 'noText'],
  ['a mail of 1,000 parts in each other', 'eml', Hostile.mailDeep, 'damaged'],
  ['a mail with a head of 3 MB', 'eml', Hostile.mailHead, 'damaged'],
  ['a mail of 100,000 attachments', 'eml', Hostile.mailParts, 'damaged'],
]

/** The most memory that any child of this process ever had, in megabytes; as long as it runs. */
let peak = 0
let watch: NodeJS.Timeout

beforeEach(() => {
  peak = 0
  watch = setInterval(async () => {
    const children = await readFile(`/proc/self/task/${process.pid}/children`, 'utf8')
    for (const child of children.split(' ').filter(Boolean)) {
      const status = await readFile(`/proc/${child}/status`, 'utf8').catch(() => '')
      peak = Math.max(peak, Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1] ?? 0) / 1024)
    }
  }, 10)
})
afterEach(() => clearInterval(watch))

test('what the hostile files are made from is read', async () => {
  const word = await zip(wordParts('<w:p><w:r><w:t>Word</w:t></w:r></w:p>'))
  const sheet = await zip(sheetParts('<sheetData><row><c><v>7</v></c></row></sheetData>', '<si/>'))

  expect(await extract(word, 'docx')).toMatchObject({ state: 'whole', text: 'Word', leftOut: [] })
  expect(await extract(sheet, 'xlsx')).toMatchObject({
    state: 'whole',
    text: '## S\n\n7',
    leftOut: [],
  })
})

/** Time enough on any machine: what is refused for its size is not refused as slow. */
const unhurried = 150_000

describe.each(cases)('%s', (_, format, make, state, processorMs = unhurried) => {
  test(`is ${state}, while another document is read`, async () => {
    const [hostile, good] = [await make(), await docx(['Still served'])]

    const [refused, served] = await Promise.all([
      extract(hostile, format, { processorMs, wallClockMs: unhurried }),
      extract(good, 'docx', { wallClockMs: unhurried }),
    ])

    expect(refused.state).toBe(state)
    expect(served).toMatchObject({ state: 'whole', text: 'Still served', leftOut: [] })
    expect(peak).toBeGreaterThan(10)
    expect(peak).toBeLessThan(600)
  })
})
