import { expect, test } from 'vitest'
import { extract } from '../../../../core/file/document/extract.ts'
import { openDocument, zip } from '../../../support/documents.ts'

test('a paragraph below a heading of any level is a paragraph of its own', async () => {
  const body = [1, 2, 3, 7].map(
    (level) => `<text:h text:outline-level="${level}">Heading</text:h><text:p>Words</text:p>`,
  )
  const file = await zip(openDocument('text', body.join('')))

  expect((await extract(file, 'odt')).text).toBe(
    '# Heading\n\nWords\n\n## Heading\n\nWords\n\n### Heading\n\nWords\n\n###### Heading\n\nWords',
  )
})

test('headings have the numbers that the document counts', async () => {
  const level = (at: number, format: string, more = '') =>
    `<text:outline-level-style text:level="${at}" style:num-format="${format}" ${more}/>`
  const styles = `<office:document-styles><style:style style:name="Plain" style:list-style-name=""/><text:outline-style>${level(1, 'I', 'style:num-prefix="Part " text:start-value="2"')}${level(2, '1', 'style:num-suffix="." text:display-levels="2"')}${level(3, '')}</text:outline-style></office:document-styles>`
  const heading = (at: number, text: string, more = '') =>
    `<text:h text:outline-level="${at}" ${more}>${text}</text:h>`
  const body = [
    heading(1, 'Terms'),
    heading(2, '<text:number>II.1.</text:number>Prices'),
    heading(2, 'Aside', 'text:style-name="Plain"'),
    heading(2, 'Delivery'),
    heading(3, 'By post'),
    heading(1, 'End', 'text:is-list-header="true"'),
    heading(1, 'Law'),
    heading(2, 'Place'),
  ]
  const file = await zip({ ...openDocument('text', body.join('')), 'styles.xml': styles })

  expect((await extract(file, 'odt')).text.split('\n\n')).toEqual([
    '# Part II Terms',
    '## II.1. Prices',
    '## Aside',
    '## II.2. Delivery',
    '### By post',
    '# End',
    '# Part III Law',
    '## III.1. Place',
  ])
})

test('struck words are marked, and a raised number is no digit of another', async () => {
  const style = (name: string, properties: string) =>
    `<style:style style:name="${name}"><style:text-properties ${properties}/></style:style>`
  const styles = [
    style('P1', 'style:text-line-through-style="solid"'),
    style('T1', 'style:text-line-through-style="none" style:text-position="sub 58%"'),
    style('T2', 'style:text-position="super 58%"'),
  ]
  const span = (name: string, text: string) => `<text:span text:style-name="${name}">${text}</text:span>`
  const body = `<text:p text:style-name="P1">€120</text:p><text:p>10${span('T1', '1')}${span('T2', '6')}</text:p>`
  const file = await zip({
    ...openDocument('text', body),
    'styles.xml': `<office:document-styles>${styles.join('')}</office:document-styles>`,
  })

  expect((await extract(file, 'odt')).text).toBe('~~€120~~\n\n101^6')
})
