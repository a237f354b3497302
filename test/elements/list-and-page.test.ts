import { afterEach, expect, test } from 'vitest'
import { page } from 'vitest/browser'
import type {
  CmsRecord,
  PageAnswer,
  RecordAnswer,
  RecordsAnswer,
  TablesAnswer,
} from '../../core/cms/schema.ts'
import '../../web/backend/list-module.ts'
import '../../web/backend/page-module.ts'
import { parseAddress } from '../../web/backend/route.ts'

afterEach(() => document.body.replaceChildren())

const table = (name: string, label: string) => ({ name, label }) as TablesAnswer['tables'][number]
const tables = [table('news', 'News'), table('posts', 'Posts')]
const known = { version: 'v', fields: {}, language: 0, addresses: [], hidden: false, mayEdit: true, pid: 1 }
const changedAt = '2026-01-01T00:00:00Z'
const record: CmsRecord = { ...known, table: 'news', uid: 4, title: 'Winter', changedAt }

function answer(path: string): TablesAnswer | PageAnswer | RecordsAnswer {
  const home = { uid: 1, title: 'Home', mayEdit: true, path: [], slug: '/', changedAt }
  if (path === '/records') return { tables }
  if (path.startsWith('/pages/')) return { page: home, content: [], languages: [] } as unknown as PageAnswer
  const shown = path.includes('/posts') ? table('posts', 'Posts') : table('news', 'News')
  return { table: shown, records: [record], total: 1 } as RecordsAnswer
}

/** Mounts a module of the backend, which goes where it asks to go. */
function mount(name: 'backend-list' | 'backend-page', state: object): HTMLElement {
  const api = { get: async (path: string) => answer(path) }
  const element = Object.assign(document.createElement(name), { api, lastPage: 1, uid: 1, ...state })
  element.addEventListener('backend-go', ({ detail }) => Object.assign(element, { place: detail }))
  document.body.append(element)
  return element
}

test('who chooses a table or other pages with the keyboard goes on from there', async () => {
  mount('backend-list', { place: parseAddress(new URL('/backend/list?page=1', location.href)) })
  const choice = page.getByRole('combobox', { name: 'Table' })
  await expect.element(choice).toBeInTheDocument()
  choice.element().focus()
  await choice.selectOptions('Posts')
  await expect.element(page.getByRole('heading', { name: /^Posts/ })).toBeInTheDocument()
  await expect.element(choice).toHaveFocus()

  await page.getByRole('button', { name: 'All pages' }).click()

  await expect.element(page.getByRole('button', { name: 'All pages', pressed: true })).toHaveFocus()
})

test('a double click on Add content adds one element', async () => {
  const added: PromiseWithResolvers<RecordAnswer>[] = []
  const post = () => {
    added.push(Promise.withResolvers<RecordAnswer>())
    return added.at(-1)?.promise
  }
  mount('backend-page', { api: { get: async (path: string) => answer(path), post } })

  await page.getByRole('button', { name: 'Add content' }).dblClick()

  expect(added).toHaveLength(1)
})
