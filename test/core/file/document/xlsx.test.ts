import { describe, expect, test } from 'vitest'
import { extract } from '../../../../core/file/document/extract.ts'
import { inspect } from '../../../../core/file/sniff.ts'
import { sheetParts, zip } from '../../../support/documents.ts'

const main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
const office = 'http://schemas.openxmlformats.org/officeDocument/2006/relationships'

/** A workbook of one row of numbers that are shown as dates. */
function dates(serials: number[], workbook = ''): Promise<Buffer> {
  const cells = serials.map((serial) => `<c s="1"><v>${serial}</v></c>`).join('')
  const parts = sheetParts(`<sheetData><row>${cells}</row></sheetData>`)
  return zip({
    ...parts,
    'xl/workbook.xml': String(parts['xl/workbook.xml']).replace('<sheets>', `${workbook}<sheets>`),
    'xl/_rels/workbook.xml.rels': String(parts['xl/_rels/workbook.xml.rels']).replace(
      '</Relationships>',
      `<Relationship Id="rId9" Type="${office}/styles" Target="styles.xml"/></Relationships>`,
    ),
    'xl/styles.xml': `<styleSheet ${main}><cellXfs count="2"><xf numFmtId="0"/><xf numFmtId="22" applyNumberFormat="1"/></cellXfs></styleSheet>`,
  })
}

const day = 86_400

describe('dates, times and durations', () => {
  test.each([
    ['a time of day', (14 * 3_600 + 40 * 60 + 30) / day, '14:40:30'],
    ['midnight', 0, '00:00:00'],
    ['a duration of more than a day', 27.5 / 24, '27:30:00'],
    ['a second that is stored a little too small', (14 * 3_600 + 59) / day - 1e-8, '14:00:59'],
    ['the first day that is a date', 61, '1900-03-01'],
    ['a date', 46_056, '2026-02-03'],
    ['a date with a time', 46_056 + 58.7 / day, '2026-02-03 00:00:59'],
  ])('%s', async (_, serial, shown) => {
    expect((await extract(await dates([serial]), 'xlsx')).text).toBe(`## S\n\n${shown}`)
  })

  test('of a workbook that counts from 1904', async () => {
    const file = await dates([27.5 / 24, 44_594], '<workbookPr date1904="1"/>')

    expect((await extract(file, 'xlsx')).text).toBe('## S\n\n27:30:00\t2026-02-03')
  })
})

/** A workbook of one row of cells, each a number with a format of its own; a format of digits is a built-in one. */
function formatted(cells: [number: number, format: string][]): Promise<Buffer> {
  const text = (code: string) =>
    code.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll('<', '&lt;')
  const id = (format: string, nth: number) => (/^\d$/.test(format) ? format : 164 + nth)
  const parts = sheetParts(
    `<sheetData><row r="3">${cells.map(([number], nth) => `<c ${nth % 2 ? `s="${nth}" r="${'ABCDEFGHIJKL'[nth]}3"` : `r="${'ABCDEFGHIJKL'[nth]}3" s="${nth}" t="n"`}><v>${number}</v></c>`).join('')}</row></sheetData>`,
  )
  return zip({
    ...parts,
    'xl/_rels/workbook.xml.rels': String(parts['xl/_rels/workbook.xml.rels']).replace(
      '</Relationships>',
      `<Relationship Id="rId9" Type="${office}/styles" Target="styles.xml"/></Relationships>`,
    ),
    'xl/styles.xml': `<styleSheet ${main}><numFmts>${cells.map(([, format], nth) => `<numFmt numFmtId="${164 + nth}" formatCode="${text(format)}"/>`).join('')}</numFmts><cellStyleXfs><xf numFmtId="9"/></cellStyleXfs><cellXfs>${cells.map(([, format], nth) => `<xf numFmtId="${id(format, nth)}"/>`).join('')}</cellXfs></styleSheet>`,
  })
}

test('a percentage and leading zeros are read as the editor sees them, and other numbers as stored', async () => {
  const file = await formatted([
    [0.195, '0.0%'],
    [0.2, '9'],
    [-0.05, '0.0\\ %;[Red]-0.0\\ %'],
    [1067, '00000'],
    [12345678, '[<=99999]00000;00000\\-0000'],
    [7, '"Nr. "000'],
    [1234.5, '#,##0.000'],
    [19.5, '0.0"%"'],
    [1e-9, '0.00E+00'],
    [46_056, 'dd.mm.yyyy'],
    [7, 'General'],
  ])

  expect((await extract(file, 'xlsx')).text).toBe(
    '## S\n\n19.5%\t20%\t-5.0 %\t01067\t01234-5678\tNr. 007\t1234.5\t19.5\t1e-9\t2026-02-03\t7',
  )
})

test('a sheet that is one chart is passed over and named as left out', async () => {
  const parts = sheetParts('<sheetData><row><c><v>7</v></c></row></sheetData>')
  const file = await zip({
    ...parts,
    'xl/workbook.xml': String(parts['xl/workbook.xml']).replace(
      '<sheets>',
      '<sheets><sheet name="Chart" sheetId="2" r:id="rId5"/>',
    ),
    'xl/_rels/workbook.xml.rels': String(parts['xl/_rels/workbook.xml.rels']).replace(
      '</Relationships>',
      `<Relationship Id="rId5" Type="${office}/chartsheet" Target="chartsheets/sheet1.xml"/></Relationships>`,
    ),
    'xl/chartsheets/sheet1.xml': `<chartsheet ${main}/>`,
  })

  expect(await extract(file, 'xlsx')).toEqual({
    state: 'whole',
    text: '## S\n\n7',
    extent: { unit: 'row', from: 1, to: 1, total: 1 },
    leftOut: ['chartSheets'],
  })
})

test('part names of another case than their references are taken and read', async () => {
  const parts = Object.entries(sheetParts('<sheetData><row><c><v>7</v></c></row></sheetData>'))
  const file = await zip(Object.fromEntries(parts.map(([name, text]) => [name.toLowerCase(), text])))
  const shouted = await zip(Object.fromEntries(parts.map(([name, text]) => [name.toUpperCase(), text])))

  expect([await inspect(file, 'xlsx'), await inspect(shouted, 'xlsx')]).toEqual([undefined, undefined])
  expect((await extract(file, 'xlsx')).text).toBe('## S\n\n7')
  expect((await extract(shouted, 'xlsx')).text).toBe('## S\n\n7')
})

test('pictures, charts, comments and columns that are not read are named', async () => {
  const parts = sheetParts('<sheetData><row><c r="A1"><v>1</v></c><c r="ZZ1"><v>2</v></c></row></sheetData>')
  const file = await zip({
    ...parts,
    'xl/media/image1.png': 'x',
    'xl/charts/chart1.xml': '<c/>',
    'xl/comments1.xml': '<c/>',
  })

  expect((await extract(file, 'xlsx')).leftOut).toEqual(['pictures', 'charts', 'cellComments', 'columns'])
})

test('a link that a formula makes keeps its address', async () => {
  const row = (at: number, formula: string, words: string) =>
    `<row r="${at}"><c r="A${at}" t="str"><f>${formula}</f><v>${words}</v></c></row>`
  const file = await zip(
    sheetParts(
      `<sheetData>${row(1, 'HYPERLINK("https://example.org/?a=1&amp;b=2","Prices")', 'Prices')}${row(2, 'IF(A1="",A1,HYPERLINK(&quot;mailto:ada@example.org&quot;))', 'Ada')}${row(3, 'HYPERLINK("#S!A1")', 'Up')}</sheetData>`,
    ),
  )

  expect((await extract(file, 'xlsx')).text).toBe(
    '## S\n\nPrices (https://example.org/?a=1&b=2)\nAda (mailto:ada@example.org)\nUp',
  )
})

test('a formula without a stored result is shown as it is, since an empty cell would hide it', async () => {
  const file = await zip(
    sheetParts(
      '<sheetData><row r="1"><c r="A1"><v>2</v></c><c r="C1"><f>SUM(A1:B1)&amp;"&lt;"</f><v></v></c></row><row r="2"><c r="A2"><f>A1*2</f></c><c r="B2" t="n"><f aca="false">A1*3</f><v/></c><c r="C2"><f>A1*4</f><v>8</v></c><c r="D2" t="str"><f>IF(A1=2,"","x")</f><v></v></c></row></sheetData>',
    ),
  )

  expect((await extract(file, 'xlsx')).text).toBe('## S\n\n2\t\t=SUM(A1:B1)&"<"\n=A1*2\t=A1*3\t8')
})

test('text boxes of a sheet follow its rows, also where it has none', async () => {
  const drawing = 'http://schemas.openxmlformats.org/drawingml/2006/main'
  const box = (...paragraphs: string[]) =>
    `<sp><txBody>${paragraphs.map((words) => `<a:p><a:r><a:t>${words}</a:t></a:r></a:p>`).join('')}</txBody></sp>`
  const withBoxes = (rows: string) =>
    zip({
      ...sheetParts(`<sheetData>${rows}</sheetData>`),
      'xl/worksheets/_rels/sheet1.xml.rels': `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1" Type="${office}/drawing" Target="../drawings/drawing1.xml"/></Relationships>`,
      'xl/drawings/drawing1.xml': `<wsDr xmlns:a="${drawing}">${box('Ask first', 'then order')}${box('')}${box('Summer only')}</wsDr>`,
    })
  const boxes = '(text box) Ask first then order\n(text box) Summer only'

  expect((await extract(await withBoxes('<row><c><v>7</v></c></row>'), 'xlsx')).text).toBe(
    `## S\n\n7\n${boxes}`,
  )
  expect((await extract(await withBoxes(''), 'xlsx')).text).toBe(`## S\n\n${boxes}`)
})

test('a reading that begins behind the last row ends there, and has no further part', async () => {
  const book = await zip(
    sheetParts('<sheetData><row><c><v>1</v></c></row><row><c><v>2</v></c></row></sheetData>'),
  )

  expect((await extract(book, 'xlsx', {}, { from: 9 })).extent).toEqual({
    unit: 'row',
    from: 2,
    to: 2,
    total: 2,
  })
})
