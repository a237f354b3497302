import * as Docx from 'docx'
import { expect, test } from 'vitest'
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
