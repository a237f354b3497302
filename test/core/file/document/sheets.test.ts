import { expect, test } from 'vitest'
import { cap, limits, nextOf } from '../../../../core/file/document/excerpt.ts'
import type { Extraction } from '../../../../core/file/document/schema.ts'
import { readSheets, type Sheet } from '../../../../core/file/document/sheets.ts'
import { capTokens } from '../../../../core/model/estimate.ts'

const rows = Array.from({ length: 8 }, (_, at) => [`row ${at + 1}`, 'lamp '.repeat(300), `end ${at + 1}`])
const sheet = { name: 'Lamps', isHidden: false, rows }
const ends = ({ text }: Pick<Extraction, 'text'>) => text.match(/end \d/g)
const all = rows.map(([, , end]) => end)

/** Reads a workbook in parts of this number of characters, as `read_file` does; returns their texts. */
async function partsOf(sheets: Sheet[], characters: number): Promise<string[]> {
  const read: string[] = []
  for (let at = { from: 1, skip: 0 }; read.length < 100; ) {
    const whole = await readSheets(sheets, { ...limits, from: at.from, characters: at.skip + characters })
    const text = whole.text.slice(at.skip)
    read.push(text)
    const next = whole.extent && nextOf(whole.extent, at.skip + text.length)
    if (!next) return read
    const [from = 0, skip = 0] = (next.match(/\d+/g) ?? []).map(Number)
    at = { from, skip }
  }
  throw new Error('The parts do not end')
}

test('every row is in one of the parts as a whole, however long it is', async () => {
  const read = await partsOf([sheet], 4_400)

  expect(read.flatMap((text) => ends({ text }) ?? [])).toEqual(all)
})

test.each([
  ['the first', [['start', 'lamp '.repeat(3_000), 'end 1'], ['last']]],
  ['one after a short heading', [['name'], ['start', '💡'.repeat(7_001), 'end 1'], ['last']]],
])('a row beyond the limit of one part loses nothing: %s', async (_, rows) => {
  const read = await partsOf([{ name: 'Lamps', isHidden: false, rows }], 4_400)
  const text = read.map((part) => part.replace(/^## .*\n\n/, '')).join('\n')

  expect(read.length).toBeGreaterThan(3)
  expect(text.replaceAll('\n', '')).toBe(rows.map((cells) => cells.join('\t')).join(''))
})

test('a part that is cut for the room of a request ends with a whole row', async () => {
  const whole = await readSheets([sheet], limits)
  const { text, extent } = capTokens(whole, 1_200)

  expect([ends({ text }), extent?.to]).toEqual([all.slice(0, extent?.to), 2])
})

test.each([
  ['row', 1_500],
  ['page', 500],
])('a %s without a line break is cut at the limit', (unit, characters) => {
  expect(cap('x'.repeat(2_000), characters, unit)).toEqual({ text: 'x'.repeat(characters), isCut: true })
})
