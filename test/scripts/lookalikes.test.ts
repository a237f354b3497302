import { expect, test } from 'vitest'
import { lookalikes } from '../../scripts/lookalikes/table.ts'

const text = `# Version: 10.0.0
2039 ;	003C ;	MA	# SINGLE LEFT-POINTING ANGLE QUOTATION MARK
03B9 ;	0069 ;	MA	# GREEK SMALL LETTER IOTA
0399 ;	006C ;	MA	# GREEK CAPITAL LETTER IOTA
1D6CA ;	0069 ;	MA	# MATHEMATICAL BOLD SMALL IOTA
0031 ;	006C ;	MA	# DIGIT ONE
006D ;	0072 006E ;	MA	# LATIN SMALL LETTER M
05AD ;	0596 ;	MA	# HEBREW ACCENT DEHI
`

test('look-alikes of markers come from the list of Unicode, a letter before its capital', () => {
  expect(lookalikes(text)).toEqual({ version: '10.0.0', characters: { '<': '2039', i: '3b9' } })
})
