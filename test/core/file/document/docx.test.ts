import * as Docx from 'docx'
import { describe, expect, test } from 'vitest'
import { extract } from '../../../../core/file/document/extract.ts'
import { image, wordParts, zip } from '../../../support/documents.ts'

test('equations are read in one line', async () => {
  const run = (text: string) => new Docx.MathRun(text)
  const equation = new Docx.Math({
    children: [
      run('x='),
      new Docx.MathFraction({ numerator: [run('a<b')], denominator: [run('2')] }),
      new Docx.MathSuperScript({ children: [run('+y')], superScript: [run('3')] }),
      new Docx.MathRadical({ children: [run('z')] }),
    ],
  })
  const file = await Docx.Packer.toBuffer(
    new Docx.Document({
      sections: [
        { children: [new Docx.Paragraph({ children: [new Docx.TextRun('It holds that '), equation] })] },
      ],
    }),
  )

  expect((await extract(file, 'docx')).text).toBe('It holds that x=(a<b)/(2)+y^(3)√(z)')
})

test('an equation in a paragraph of its own is read', async () => {
  const file = await zip(
    wordParts(
      '<w:p><m:oMathPara xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"><m:oMathParaPr><m:jc m:val="left"/></m:oMathParaPr><m:oMath><m:r><m:t>E=mc</m:t></m:r></m:oMath></m:oMathPara></w:p>',
    ),
  )

  expect((await extract(file, 'docx')).text).toBe('E=mc')
})

test('headers, footers and comments follow the text', async () => {
  const paragraph = (text: string) => new Docx.Paragraph(text)
  const file = await Docx.Packer.toBuffer(
    new Docx.Document({
      comments: {
        children: [
          {
            id: 0,
            author: 'Ada',
            date: new Date(0),
            children: [paragraph('Is that so?'), paragraph('I doubt it.')],
          },
        ],
      },
      sections: [
        {
          headers: { default: new Docx.Header({ children: [paragraph('Draft of May')] }) },
          footers: { default: new Docx.Footer({ children: [paragraph('Confidential & final')] }) },
          children: [
            new Docx.Paragraph({
              children: [
                new Docx.CommentRangeStart(0),
                new Docx.TextRun('Prices rise.'),
                new Docx.CommentRangeEnd(0),
                new Docx.TextRun({ children: [new Docx.CommentReference(0)] }),
              ],
            }),
          ],
        },
      ],
    }),
  )

  expect(await extract(file, 'docx')).toEqual({
    state: 'whole',
    text: 'Prices rise.\n\n## Header\n\nDraft of May\n\n## Footer\n\nConfidential & final\n\n## Comments\n\n- Ada: Is that so? I doubt it.',
    extent: { unit: 'character', from: 1, to: 115, total: 115 },
    leftOut: [],
  })
})

test('pictures, charts and embedded files are named as left out', async () => {
  const picture = new Docx.ImageRun({
    type: 'png',
    data: await image('png'),
    transformation: { width: 8, height: 8 },
  })
  const withPicture = await Docx.Packer.toBuffer(
    new Docx.Document({
      sections: [{ children: [new Docx.Paragraph({ children: [new Docx.TextRun('Text'), picture] })] }],
    }),
  )
  const withOthers = await zip({
    ...wordParts('<w:p><w:r><w:t>Text</w:t></w:r></w:p>'),
    'word/charts/chart1.xml': '<c/>',
    'word/embeddings/sheet.xlsx': 'x',
  })

  expect((await extract(withPicture, 'docx')).leftOut).toEqual(['pictures'])
  expect((await extract(withOthers, 'docx')).leftOut).toEqual(['charts', 'embeddedFiles'])
})

test('part names of another case than their references are read', async () => {
  const parts = Object.entries(wordParts('<w:p><w:r><w:t>Text</w:t></w:r></w:p>'))
  const file = await zip(Object.fromEntries(parts.map(([name, text]) => [name.toUpperCase(), text])))

  expect((await extract(file, 'docx')).text).toBe('Text')
})

test('boxes say whether they are ticked', async () => {
  const box = (checked: number, sign: string) =>
    `<w:sdt><w:sdtPr><w14:checkbox xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml"><w14:checked w14:val="${checked}"/></w14:checkbox></w:sdtPr><w:sdtContent><w:r><w:t>${sign}</w:t></w:r></w:sdtContent></w:sdt>`
  const line = (checked: number, sign: string, words: string) =>
    `<w:p>${box(checked, sign)}<w:r><w:t xml:space="preserve"> ${words}</w:t></w:r></w:p>`
  const file = await zip(wordParts(line(1, '☒', 'Coffee') + line(0, '☐', 'Tea')))

  expect((await extract(file, 'docx')).text).toBe('[x]  Coffee\n\n[ ]  Tea')
})

describe('numbers that Word makes', () => {
  const level = (at: number, format: string, text: string, more = '') =>
    `<w:lvl w:ilvl="${at}"><w:start w:val="1"/><w:numFmt w:val="${format}"/>${more}<w:lvlText w:val="${text}"/></w:lvl>`
  const numbering = `<w:numbering xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main">
    <w:abstractNum w:abstractNumId="0">${level(0, 'decimal', '%1.')}${level(1, 'lowerLetter', '%2)')}</w:abstractNum>
    <w:abstractNum w:abstractNumId="1">${level(0, 'upperRoman', 'Part %1', '<w:pStyle w:val="Heading1"/>')}${level(1, 'decimal', '%1.%2')}</w:abstractNum>
    <w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>
    <w:num w:numId="2"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="7"/></w:lvlOverride></w:num>
    <w:num w:numId="3"><w:abstractNumId w:val="1"/></w:num></w:numbering>`
  const styles = `<w:styles xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/><w:pPr><w:numPr><w:numId w:val="3"/></w:numPr></w:pPr></w:style></w:styles>`
  const relation = (id: string, type: string) =>
    `<Relationship Id="${id}" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/${type}" Target="${type}.xml"/>`
  const item = (use: number, at: number, words: string) =>
    `<w:p><w:pPr><w:numPr><w:ilvl w:val="${at}"/><w:numId w:val="${use}"/></w:numPr></w:pPr><w:r><w:t>${words}</w:t></w:r></w:p>`
  const plain = (words: string) => `<w:p><w:r><w:t>${words}</w:t></w:r></w:p>`
  const heading = (words: string) =>
    `<w:p><w:pPr><w:pStyle w:val="Heading1"/></w:pPr><w:r><w:t>${words}</w:t></w:r></w:p>`

  test.each([
    [
      'a list goes on after a break',
      item(1, 0, 'a') + plain('between') + item(1, 0, 'b'),
      '1. a\n\nbetween\n\n2. b',
    ],
    [
      'deeper levels begin again',
      item(1, 0, 'a') + item(1, 1, 'b') + item(1, 0, 'c') + item(1, 1, 'd'),
      '1. a\n   a) b\n2. c\n   a) d',
    ],
    ['a list begins where it says', item(2, 0, 'a') + item(2, 0, 'b'), '7. a\n8. b'],
    ['headings are numbered by their style', heading('x') + heading('y'), '# Part I x\n\n# Part II y'],
  ])('%s', async (_, body, text) => {
    const file = await zip({
      ...wordParts(body),
      'word/_rels/document.xml.rels': `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">${relation('r1', 'numbering')}${relation('r2', 'styles')}</Relationships>`,
      'word/numbering.xml': numbering,
      'word/styles.xml': styles,
    })

    expect((await extract(file, 'docx')).text).toBe(text)
  })
})

test('the result of a field is part of the text', async () => {
  const field = '<w:fldSimple w:instr=" IF 2 > 1 "><w:r><w:t>yes</w:t></w:r></w:fldSimple>'
  const file = await zip(wordParts(`<w:p><w:r><w:t xml:space="preserve">Agreed: </w:t></w:r>${field}</w:p>`))

  expect((await extract(file, 'docx')).text).toBe('Agreed: yes')
})

test('a chunk of another format in a document leaves the rest readable, and is named', async () => {
  const body = '<w:p><w:r><w:t>Text</w:t></w:r></w:p><w:altChunk r:id="r1"/>'
  const file = await zip({ ...wordParts(body), 'word/chunk.mht': '<!DOCTYPE html><p>Inside' })

  expect(await extract(file, 'docx')).toMatchObject({
    state: 'whole',
    text: 'Text',
    leftOut: ['embeddedFiles'],
  })
})
