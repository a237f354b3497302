import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { extract } from '../../../../core/file/document/extract.ts'
import { inspect } from '../../../../core/file/sniff.ts'

/** Files that another program wrote are taken and read (made/README.md). */

const made = (name: string) => readFile(join(import.meta.dirname, 'made', name))

const text = (heading: string, notes: string, list: string) => `${heading}

Grüße, Łódź, Привет: see [the list](https://example.org/list).[1]

${list}

| Name | Price |
| --- | --- |
| Aurora | 149 EUR |

Prices rise.

${notes}

## Header

Draft of May

## Comments

- Grace: Is that so?`

const list = '1. First\n2. Second\n\n- A point between\n\n3. Third'

const book = `## Prices

Name	EUR	Since
Aurora (https://example.org/aurora)	149.5	2026-02-03
Vega	299

## Costs (hidden)

Secret margin`

const rtf = `# 1. Prices & terms

Grüße, Łódź, Привет: see the list (https://example.org/list).[note]

1. First

2. Second

- A point between

3. Third

Name | Price

Aurora | 149 EUR

Prices rise.

## Footnotes

Without tax.

## Header

Draft of May

## Comments

- Grace: Is that so?`

const show = `## Slide 1

Prices of May

Lamps, see [the list](https://example.org/list)

Aurora

| Name | Price |
| --- | --- |
| Vega | 169 EUR |

### Notes

Say that prices rise.

### Comments

Is that so?

## Slide 2 (hidden)

Costs`

test.each([
  [
    'odt',
    'text.odt',
    text('# 1. Prices & terms', '## Footnotes\n\n[1] Without tax.', list),
    ['trackedChanges'],
  ],
  ['docx', 'text.docx', text('# 1. Prices & terms', '1. Without tax.', list), ['trackedChanges']],
  ['rtf', 'text.rtf', rtf, ['trackedChanges']],
  ['ods', 'book.ods', book, ['cellComments']],
  ['xlsx', 'book.xlsx', book, ['cellComments']],
  ['pptx', 'show.pptx', show, []],
] as const)('%s', async (format, name, text, leftOut) => {
  const bytes = await made(name)

  expect(await inspect(bytes, format)).toBeUndefined()
  expect(await extract(bytes, format)).toMatchObject({ state: 'whole', text, leftOut })
})
