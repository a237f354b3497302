import { describe, expect, test } from 'vitest'
import { inspect } from '../../../core/file/sniff.ts'
import { pdf } from '../../support/documents.ts'

/** PDF versions for which the writer uses another way of encryption each. */
const versions = ['1.3', '1.4', '1.5', '1.6', '1.7', '1.7ext3'] as const

describe.each(versions)('an encrypted PDF of version %s', (pdfVersion) => {
  test('that its owner locked against copying is taken', async () => {
    const file = await pdf(['Text'], { pdfVersion, ownerPassword: 'owner' })

    expect(await inspect(file, 'pdf')).toBeUndefined()
  })

  test('that needs a password is refused', async () => {
    const file = await pdf(['Text'], { pdfVersion, ownerPassword: 'owner', userPassword: 'user' })

    expect(await inspect(file, 'pdf')).toBe('encrypted')
  })
})

test('an encryption that is not understood is refused', async () => {
  const file = await pdf(['Text'], { ownerPassword: 'owner' })
  const other = Buffer.from(
    file.toString('latin1').replace('/Filter /Standard', '/Filter /Enhanced'),
    'latin1',
  )

  expect(await inspect(other, 'pdf')).toBe('encrypted')
})
