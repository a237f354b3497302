import { expect, test } from 'vitest'
import { extract } from '../../../../core/file/document/extract.ts'
import { openDocument, zip } from '../../../support/documents.ts'

test('a formula that failed shows its error, not the number that is stored beside it', async () => {
  const cell = (shown: string) =>
    `<table:table-cell office:value-type="float" office:value="0"><text:p>${shown}</text:p></table:table-cell>`
  const row = ['#DIV/0!', '#N/A', '#NAME?', 'Err:502', '#1', '0.00'].map(cell).join('')
  const file = await zip(
    openDocument(
      'spreadsheet',
      `<table:table table:name="S"><table:table-row>${row}</table:table-row></table:table>`,
    ),
  )

  expect((await extract(file, 'ods')).text).toBe('## S\n\n#DIV/0!\t#N/A\t#NAME?\tErr:502\t0\t0')
})

test('the words of text boxes and shapes in a cell belong to the cell, those of a comment do not', async () => {
  const boxed = '<draw:frame><draw:text-box><text:p>In the box</text:p></draw:text-box></draw:frame>'
  const shape = '<draw:custom-shape><text:p>In the shape</text:p></draw:custom-shape>'
  const note = '<office:annotation><text:p>A comment</text:p></office:annotation>'
  const cells = ['<text:p>A</text:p>', boxed, shape, `${note}<text:p>B</text:p>`]
  const row = cells.map((cell) => `<table:table-cell>${cell}</table:table-cell>`).join('')
  const file = await zip(
    openDocument(
      'spreadsheet',
      `<table:table table:name="S"><table:table-row>${row}</table:table-row></table:table>`,
    ),
  )

  expect((await extract(file, 'ods')).text).toBe('## S\n\nA\tIn the box\tIn the shape\tB')
})

test('a percentage and leading zeros are read as the editor sees them, and other numbers and dates as stored', async () => {
  const cell = ([kind, value, shown]: string[]) => {
    const name = kind === 'date' ? 'date-value' : 'value'
    const words = shown && `<text:p>${shown}</text:p>`
    return `<table:table-cell office:value-type="${kind}" office:${name}="${value}">${words}</table:table-cell>`
  }
  const cells = [
    ['percentage', '0.195', '19,5 %'],
    ['percentage', '0.195', ''],
    ['float', '1067', '01067'],
    ['float', '1234.5', '1.234,50'],
    ['currency', '149', '149,00 €'],
    ['date', '2026-02-01', '01.02.26'],
  ]
  const row = cells.map(cell).join('')
  const file = await zip(
    openDocument(
      'spreadsheet',
      `<table:table table:name="S"><table:table-row>${row}</table:table-row></table:table>`,
    ),
  )

  expect((await extract(file, 'ods')).text).toBe('## S\n\n19,5 %\t0.195\t01067\t1234.5\t149\t2026-02-01')
})
