import { afterEach, expect, test } from 'vitest'
import { page } from 'vitest/browser'
import type { RecordAnswer } from '../../core/cms/schema.ts'
import { RequestError } from '../../web/backend/backend-api.ts'
import { drafts } from '../../web/backend/record-field.ts'
import '../../web/backend/record-form.ts'

afterEach(() => {
  document.body.replaceChildren()
  drafts.clear()
})

type Fields = RecordAnswer['record']['fields']
type Edit = { version: string; fields: Fields }

const field = (name: string, label: string) => ({
  name,
  label,
  kind: 'text',
  required: false,
  readOnly: false,
  max: null,
})
const layout = { ...field('layout', 'Layout'), kind: 'select', options: ['narrow', 'wide'] }

function answer(uid: number, version: string, fields: Fields): RecordAnswer {
  const content = {
    name: 'content',
    label: 'Content',
    fields: [field('header', 'Header'), field('body', 'Body'), layout],
  }
  const record = { uid, version, fields, table: 'content', pid: 1, title: `Element ${uid}`, hidden: false }
  const known = { language: 0, addresses: [], changedAt: '2026-01-01T00:00:00Z', mayEdit: true }
  return { table: content as never, record: { ...record, ...known }, page: null, history: [] }
}

/** The form of record 12, on a backend that answers a save when the test says so. */
async function open() {
  const saves: (PromiseWithResolvers<RecordAnswer> & { path: string; edit: Edit })[] = []
  const api = {
    get: async (path: string) =>
      answer(Number(path.split('/').at(-1)), 'v1', { header: 'Old', body: 'Text', layout: 'narrow' }),
    post: (path: string, edit: Edit) => {
      const save = { ...Promise.withResolvers<RecordAnswer>(), path, edit }
      saves.push(save)
      return save.promise
    },
  }
  const above = { module: 'list', table: null, page: 1, offset: 0 }
  const form = Object.assign(document.createElement('backend-record'), {
    api,
    above,
    table: 'content',
    uid: 12,
  })
  document.body.append(form)
  await expect.element(heading('Element 12')).toBeInTheDocument()
  return { form, saves, goTo: (uid: number) => Object.assign(form, { uid }) }
}

const heading = (name: string) => page.getByRole('heading', { name, level: 1 })
const header = () => page.getByRole('textbox', { name: 'Header' })
const body = () => page.getByRole('textbox', { name: 'Body' })
const save = () => page.getByRole('button', { name: 'Save' })
const saved = () => page.getByRole('status').getByText('Saved')

test('what is typed while a save is under way stays, and is saved next', async () => {
  const { saves } = await open()
  await header().fill('New')
  await save().click()
  await body().fill('More text')
  saves[0]?.resolve(answer(12, 'v2', { header: 'New', body: 'Text' }))
  await expect.element(saved()).toBeInTheDocument()

  await expect.element(body()).toHaveValue('More text')
  await expect.element(page.getByText(/Not saved yet/)).toBeInTheDocument()
  await save().click()
  expect(saves.map(({ edit }) => edit)).toEqual([
    { version: 'v1', fields: { header: 'New' } },
    { version: 'v2', fields: { body: 'More text' } },
  ])
})

test('a field that is changed again while it is saved keeps its newest words', async () => {
  const { saves } = await open()
  await header().fill('New')
  await save().click()
  await header().fill('Newer')
  saves[0]?.resolve(answer(12, 'v2', { header: 'New', body: 'Text' }))
  await expect.element(saved()).toBeInTheDocument()

  await expect.element(header()).toHaveValue('Newer')
})

test('the answer to a save does not replace another record that was opened meanwhile', async () => {
  const { form, saves, goTo } = await open()
  await header().fill('New')
  await save().click()
  goTo(13)
  await expect.element(heading('Element 13')).toBeInTheDocument()
  await header().fill('Thirteen')
  const changed = new Promise((resolve) => form.addEventListener('backend-changed', resolve, { once: true }))
  saves[0]?.resolve(answer(12, 'v2', { header: 'New', body: 'Text' }))
  await changed

  await expect.element(heading('Element 13')).toBeInTheDocument()
  await expect.element(header()).toHaveValue('Thirteen')
  expect([...drafts.keys()]).toEqual(['/records/content/13'])
  await save().click()
  expect(saves[1]).toMatchObject({
    path: '/records/content/13',
    edit: { version: 'v1', fields: { header: 'Thirteen' } },
  })
})

test('the refusal of a save is not shown at another record, and the refused words stay', async () => {
  const { saves, goTo } = await open()
  await header().fill('New')
  await save().click()
  goTo(13)
  await expect.element(heading('Element 13')).toBeInTheDocument()
  saves[0]?.reject(new RequestError({ code: 'record.changed', message: 'Changed meanwhile.' }))
  await saves[0]?.promise.catch(() => {})
  goTo(12)
  await expect.element(heading('Element 12')).toBeInTheDocument()

  await expect.element(header()).toHaveValue('New')
  expect(page.getByRole('alert').elements()).toEqual([])
})

test('changes that are discarded are gone from each field, and the focus goes to Save', async () => {
  await open()
  const choice = page.getByRole('combobox', { name: 'Layout' })
  for (const value of ['wide', 'narrow', 'wide']) await choice.selectOptions(value)
  await expect.element(choice).toHaveValue('wide')

  await page.getByRole('button', { name: 'Discard changes' }).click()

  await expect.element(choice).toHaveValue('narrow')
  await expect.element(save()).toHaveFocus()
})
