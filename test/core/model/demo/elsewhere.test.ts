import { describe, expect, test } from 'vitest'
import { capabilities } from '../../../../core/cms/reference/registry.ts'
import { seededCms } from '../../../support/cms.ts'
import { withOtherTables } from '../../../support/other-tables.ts'
import { textId, withTextIds } from '../../../support/text-ids.ts'
import { ask, type Scene } from './conversation.ts'

/** On a CMS elsewhere the demo uses its tables by their own names and labels, and its ids as they are. */

const { cms, editor } = await seededCms(Date.UTC(2026, 10, 20))
const article = { table: 'articles', uid: textId(37), title: 'Aurora lamp: new price' }

/** Without a page tree, with texts as ids; what was news are articles, called “News” by their label. */
const flat: Scene = {
  cms: withTextIds(withOtherTables(cms, { news: 'articles' })),
  actor: editor,
  capabilities: { ...capabilities(), ids: 'string', tree: null },
}
/** With pages of the type `page`, and no elements on them. */
const paged: Scene = {
  cms: withOtherTables(cms, { pages: 'page' }),
  actor: editor,
  capabilities: { ...capabilities(), tree: { pages: 'page', content: null } },
}

const update = (table: string, uid: number | string, title: string) => ({
  name: 'update_record',
  arguments: { table, uid, fields: { title } },
})

describe('a CMS without a page tree, whose ids are texts,', () => {
  test.each(['List the articles', 'Show me the article', 'List all news', 'Liste die Articles auf'])(
    'lists its records: %s',
    async (question) => {
      const { calls, text } = await ask(question, flat)

      expect(calls.at(-1)).toEqual({ name: 'list_records', arguments: { table: 'articles' } })
      expect(text).toContain(`- [${article.uid}] “${article.title}”`)
    },
  )

  test.each<[string, Partial<Scene>]>([
    ['Change the title of this article to Autumn', { record: article }],
    ['Ändere den Titel dieses Records auf Autumn', { record: article }],
    ['Change its title to Autumn', { record: article }],
    ['Rename this article to Autumn', { mentions: [{ kind: 'record', ...article }] }],
    [`Rename article ${article.uid} to Autumn`, {}],
    [`Change the title of “${article.title}” to Autumn`, {}],
  ])('changes the record that is meant: %s', async (question, open) => {
    const { calls } = await ask(question, { ...flat, ...open })

    expect(calls.at(-1)).toEqual(update('articles', article.uid, 'Autumn'))
  })

  test('changes nothing where the open record is something else', async () => {
    const { calls, text } = await ask('Rename this product to Autumn', { ...flat, record: article })

    expect(calls.map(({ name }) => name)).not.toContain('update_record')
    expect(text).toMatch(/^I did not find the record that you mean\. Name it by its title/)
  })

  test('tells who changed the open record, and what stands in it', async () => {
    const open = { ...flat, record: article }
    const { calls } = await ask('Who changed this article?', open)
    const { text } = await ask('Summarise this', open)

    expect(calls.at(-1)).toMatchObject({ name: 'get_record_history', arguments: { table: 'articles' } })
    expect(text).toMatch(/^“Aurora lamp: new price” \[7d1f/)
  })

  test.each(['en', 'de', 'fr'])('is offered nothing of another CMS: %s', async (lang) => {
    const { text } = await ask('help', { ...flat, actor: { ...editor, lang } })

    expect(text).not.toMatch(/\bpages?\b|\bSeite|\bnews\b|Aurora|\belement/i)
    expect(text.match(/^- /gm)?.length).toBeGreaterThan(3)
  })
})

describe('a CMS whose pages are of the type page', () => {
  const lamp = { uid: 3, title: 'Aurora lamp' }

  test.each<[string, Partial<Scene>]>([
    ['Rename page 3 to Autumn', {}],
    ['Rename this page to Autumn', { page: lamp }],
    ['Change the title of the Aurora lamp to Autumn', {}],
    ['Change the title of this page to Autumn', { mentions: [{ kind: 'page', table: 'page', ...lamp }] }],
  ])('has them changed: %s', async (question, open) => {
    const { calls } = await ask(question, { ...paged, ...open })

    expect(calls.at(-1)).toEqual(update('page', 3, 'Autumn'))
  })
})
