import { buffer } from 'node:stream/consumers'
import PDFDocument from 'pdfkit'
import { expect, test } from 'vitest'
import { extract } from '../../../../core/file/document/extract.ts'
import { image, pdf } from '../../../support/documents.ts'

async function drawn(draw: (document: PDFKit.PDFDocument) => unknown): Promise<Buffer> {
  const document = new PDFDocument()
  await draw(document)
  document.end()
  return buffer(document)
}

test('what is filled into a form is part of the text', async () => {
  const file = await drawn((document) => {
    document.font('Helvetica').initForm()
    document.text('Registration')
    document.formText('name', 50, 100, 200, 20, { value: 'Ada Lovelace' })
    document.formCombo('room', 50, 130, 200, 20, { select: ['Single', 'Double'], value: 'Double' })
    document.formText('empty', 50, 160, 200, 20)
    document.formPushButton('send', 50, 190, 200, 20, { label: 'Send' })
  })

  expect(await extract(file, 'pdf')).toEqual({
    state: 'whole',
    text: '## Page 1\n\nRegistration\n\n### Form fields\n\n- name: Ada Lovelace\n- room: Double',
    extent: { unit: 'page', from: 1, to: 1, total: 1 },
    leftOut: [],
  })
})

test('notes are part of the text, also of a page that has no other', async () => {
  const file = await drawn((document) => {
    document.note(50, 50, 20, 20, 'Please check the price', { T: new String('Grace') } as never)
    document
      .addPage()
      .text('Second page')
      .annotate(50, 50, 80, 20, { Subtype: 'Stamp', Contents: new String('Agreed') } as never)
  })

  expect(await extract(file, 'pdf')).toEqual({
    state: 'whole',
    text: '## Page 1\n\n### Notes\n\n- Grace: Please check the price\n\n## Page 2\n\nSecond page\n\n### Notes\n\n- Agreed',
    extent: { unit: 'page', from: 1, to: 2, total: 2 },
    leftOut: ['pagesWithoutText'],
  })
})

test('pictures and attached files are named as left out', async () => {
  const picture = await image('png')
  const file = await drawn((document) => {
    document.text('Text').image(picture, 50, 100)
    document.file(Buffer.from('inside'), { name: 'inside.txt' })
  })

  expect(await extract(file, 'pdf')).toEqual({
    state: 'whole',
    text: '## Page 1\n\nText',
    extent: { unit: 'page', from: 1, to: 1, total: 1 },
    leftOut: ['pictures', 'embeddedFiles'],
  })
})

test('a PDF that only its owner locked is read, and known as locked', async () => {
  expect(await extract(await pdf(['Open'], { ownerPassword: 'y' }), 'pdf')).toEqual({
    state: 'whole',
    text: '## Page 1\n\nOpen',
    extent: { unit: 'page', from: 1, to: 1, total: 1 },
    leftOut: [],
    isLocked: true,
  })
})
