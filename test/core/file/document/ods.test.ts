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
