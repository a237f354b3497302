import { expect, test } from 'vitest'
import { extract } from '../../../../core/file/document/extract.ts'
import { presentation, zip } from '../../../support/documents.ts'

const shape = (type: string, ...paragraphs: string[]) =>
  `<p:sp><p:nvSpPr><p:nvPr><p:ph type="${type}"/></p:nvPr></p:nvSpPr><p:txBody>${paragraphs.join('')}</p:txBody></p:sp>`
const words = (text: string, level = 0) => `<a:p><a:pPr lvl="${level}"/><a:r><a:t>${text}</a:t></a:r></a:p>`

test('a slide becomes its title, its points, the notes and the comments', async () => {
  const file = await zip(
    presentation(
      [
        shape('title', words('Prices &amp; terms')) +
          shape('body', words('Lamps'), words('Aurora', 1)) +
          shape('sldNum', words('1')),
      ],
      {
        'ppt/slides/_rels/slide1.xml.rels': `<Relationships>
          <Relationship Id="r1" Type="x/notesSlide" Target="../notesSlides/n1.xml"/>
          <Relationship Id="r2" Type="x/comments" Target="../comments/c1.xml"/>
          <Relationship Id="r3" Type="x/image" Target="../media/i1.png"/>
          <Relationship Id="r4" Type="x/chart" Target="../charts/c1.xml"/></Relationships>`,
        'ppt/notesSlides/n1.xml': `<p:notes>${shape('sldImg')}${shape('body', words('Say it slowly'))}</p:notes>`,
        'ppt/comments/c1.xml': '<p:cmLst><p:cm><p:text>Is that so?</p:text></p:cm></p:cmLst>',
      },
    ),
  )

  expect(await extract(file, 'pptx')).toEqual({
    state: 'whole',
    text: `## Slide 1

### Prices & terms

- Lamps
  - Aurora

### Notes

- Say it slowly

### Comments

Is that so?`,
    extent: { unit: 'slide', from: 1, to: 1, total: 1 },
    leftOut: ['pictures', 'charts'],
  })
})

test('a table in the place of the points keeps its rows, and is no title', async () => {
  const cell = (text: string) => `<a:tc><a:txBody>${words(text)}</a:txBody></a:tc>`
  const table = (place: string) =>
    `<p:graphicFrame><p:nvGraphicFramePr><p:nvPr>${place}</p:nvPr></p:nvGraphicFramePr><a:tbl><a:tr>${cell('Vega')}${cell('169')}</a:tr></a:tbl></p:graphicFrame>`
  const title = shape('title', words('Prices'))
  const file = await zip(presentation([title + table('<p:ph idx="1"/>'), title + table('')]))

  const rows = '### Prices\n\n| Vega | 169 |\n| --- | --- |'
  expect((await extract(file, 'pptx')).text).toBe(`## Slide 1\n\n${rows}\n\n## Slide 2\n\n${rows}`)
})

test('struck words are marked, and a raised number is no digit of another', async () => {
  const run = (text: string, style = '') => `<a:r><a:rPr ${style}/><a:t>${text}</a:t></a:r>`
  const line = [
    run('€120', 'strike="sngStrike"'),
    run(' €100', 'strike="noStrike"'),
    run(' for 10', 'baseline="0"'),
    run('6', 'baseline="30000"'),
  ]
  const file = await zip(presentation([shape('title', `<a:p>${line.join('')}</a:p>`)]))

  expect((await extract(file, 'pptx')).text).toBe('## Slide 1\n\n### ~~€120~~ €100 for 10^6')
})

test('a footer that slides share is told once, on the first that has it', async () => {
  const slide = (title: string, footer: string) =>
    shape('title', words(title)) + shape('ftr', words(footer)) + shape('sldNum', words('7'))
  const file = await zip(presentation([slide('One', 'May'), slide('Two', 'May'), slide('Three', 'June')]))

  expect((await extract(file, 'pptx')).text).toBe(
    '## Slide 1\n\n### One\n\nMay\n\n## Slide 2\n\n### Two\n\n## Slide 3\n\n### Three\n\nJune',
  )
})

test('the settings of a printer make no presentation a damaged one', async () => {
  const file = await zip(
    presentation([shape('title', words('Prices'))], {
      'ppt/printerSettings/printerSettings1.bin': '<?xml version="1.0"?><!DOCTYPE plist PUBLIC "x"><plist/>',
    }),
  )

  expect((await extract(file, 'pptx')).state).toBe('whole')
})

test('of a long presentation the first 200 slides are read, and those from a number on', async () => {
  const file = await zip(
    presentation(Array.from({ length: 203 }, (_, at) => shape('title', words(`No ${at + 1}`)))),
  )

  const first = await extract(file, 'pptx')
  const rest = await extract(file, 'pptx', {}, { from: 201 })

  expect(first).toMatchObject({ state: 'truncated', extent: { from: 1, to: 200, total: 203 } })
  expect(rest).toMatchObject({
    state: 'truncated',
    text: '## Slide 201\n\n### No 201\n\n## Slide 202\n\n### No 202\n\n## Slide 203\n\n### No 203',
    extent: { from: 201, to: 203, total: 203 },
  })
})
