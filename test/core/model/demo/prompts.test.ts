import { describe, expect, test } from 'vitest'
import { offered } from '../../../../core/agent/offered.ts'
import de from '../../../../core/base/languages/de/chat.json'
import en from '../../../../core/base/languages/en/chat.json'
import fr from '../../../../core/base/languages/fr/chat.json'
import { capabilities } from '../../../../core/cms/reference/registry.ts'
import { tools } from '../../../../core/tool/tools.ts'
import { seedPictures } from '../../../../infra/local/seed/content.ts'
import { promptsFor } from '../../../../web/chat/conversation/empty.ts'
import { seededCms } from '../../../support/cms.ts'
import { ask } from './conversation.ts'

/** Whatever the interface proposes before the first message, the demo does: in each module, for each user, in each language. */

const { cms, ...users } = await seededCms(Date.UTC(2026, 10, 20))
await seedPictures()
const words = { en, de, fr }
type Lang = keyof typeof words
const lamp = { uid: 3, title: 'Aurora lamp' }
const home = { uid: 1, title: 'Home' }

type Username = 'admin' | 'editor' | 'autorin' | 'redakteurin'
type Key = ReturnType<typeof promptsFor>[number]['key']
type Where = { module: string; page?: { uid: number; title: string } }

/** The prompts that the interface offers to the user there, by the rights that the user has. */
async function offeredTo(who: Username, { module, page }: Where): Promise<Key[]> {
  const actor = users[who]
  const elements = page && (await cms.pageContent(actor, { uid: page.uid }))
  const mayEdit =
    (page && (await cms.page(actor, { uid: page.uid }))?.mayEdit) || elements?.some((it) => it.mayEdit)
  const place = { pageId: page?.uid ?? 0, module, title: page?.title ?? '', mayEdit: mayEdit ?? false }
  return promptsFor(place, usable(who), 'pages').map(({ key }) => key)
}

function usable(who: Username): string[] {
  const rules = { disabled: [], groups: {} }
  const { isAdmin, groups } = users[who]
  const facts = {
    rules,
    drafts: 'off' as const,
    offered: null,
    trustZone: 'restricted' as const,
    modelCalls: true,
    modelSees: true,
    capabilities: capabilities(),
  }
  return offered({ actor: { isAdmin, groups }, ...facts }).map(({ name }) => name)
}

async function answerTo(key: Key, lang: Lang, who: Username, { module, page }: Where) {
  const may = usable(who)
  const without = tools.map(({ name }) => name).filter((name) => !may.includes(name))
  const question = String(words[lang][key]).replace('{title}', page?.title ?? '')
  const told = await ask(question, {
    cms,
    actor: { ...users[who], lang },
    module,
    without,
    ...(page && { page }),
  })
  return { calls: told.calls.map(({ name }) => name), text: told.text }
}

describe('what is offered', () => {
  test.each<[Username, Where, Key[]]>([
    [
      'editor',
      { module: 'page', page: lamp },
      ['prompt.summary', 'prompt.find', 'prompt.shorten', 'prompt.who'],
    ],
    [
      'autorin',
      { module: 'page', page: lamp },
      ['prompt.summary', 'prompt.find', 'prompt.who', 'prompt.tree'],
    ],
    [
      'editor',
      { module: 'list', page: lamp },
      ['prompt.explain', 'prompt.who', 'prompt.summary', 'prompt.find'],
    ],
    ['editor', { module: 'list' }, ['prompt.explain', 'prompt.tree', 'prompt.missing', 'prompt.about']],
    ['admin', { module: 'log' }, ['prompt.exceptions', 'prompt.errors', 'prompt.status', 'prompt.tree']],
    ['editor', { module: 'log' }, ['prompt.tree', 'prompt.missing', 'prompt.about', 'prompt.pictures']],
    [
      'redakteurin',
      { module: 'chat' },
      ['prompt.describe', 'prompt.pictures', 'prompt.translate', 'prompt.tree'],
    ],
  ])('%s in %j', async (who, where, keys) => {
    expect(await offeredTo(who, where)).toEqual(keys)
  })
})

test('a record that is no page gets what fits a record, and nothing of pages without a tree', () => {
  const tools = usable('editor').filter(
    (name) => !['get_page_tree', 'get_page_content', 'check_site'].includes(name),
  )
  const [article, unnamed] = [{ table: 'articles' }, {}].map((type) =>
    promptsFor({ pageId: 1, module: 'page', title: 'Aurora lamp', ...type }, tools, null).map(
      ({ key }) => key,
    ),
  )

  expect(article).toEqual(['prompt.find', 'prompt.summaryRecord', 'prompt.whoRecord', 'prompt.about'])
  expect(unnamed).toEqual(['prompt.find', 'prompt.about', 'prompt.pictures'])
})

type Expected = { calls: string[] } & Record<Lang, RegExp>

const answers: Record<string, Expected> = {
  'prompt.summary': {
    calls: ['get_page_content'],
    en: /^“.*” \[\d+\] in its own sentences:\n\n> .+\n>\n> .+\n>\n> [^>]+\n\n\*This demo is a fixed script/,
    de: /^„.*“ \[\d+\] in eigenen Sätzen der Seite:\n\n> .+\n>\n> .+\n>\n> [^>]+\n\n\*Diese Demo ist ein festes Skript/,
    fr: /^«\s.*\s» \[\d+\] dans ses propres phrases\s:\n\n> .+\n>\n> .+\n>\n> [^>]+\n\n\*Cette démo est un script fixe/,
  },
  'prompt.find': {
    calls: ['search_records'],
    en: /^“.*” stands in (?:one record|\d+ records) that you may see:\n\n\*\*/,
    de: /^„.*“ steht in (?:einem Datensatz, den|\d+ Datensätzen, die) Sie sehen dürfen:\n\n\*\*/,
    fr: /^«\s.*\s» figure dans (?:un enregistrement|\d+ enregistrements) que vous pouvez voir\s:\n\n\*\*/,
  },
  'prompt.shorten': {
    calls: ['get_page_content', 'get_record', 'update_record'],
    en: /^waits for a decision$/,
    de: /^waits for a decision$/,
    fr: /^waits for a decision$/,
  },
  'prompt.who': {
    calls: ['get_record_history'],
    en: /^(?:The last change of “.*” \[\d+\]:\n\n- .* UTC: \*\*\w+\*\*|No change of “.*” \[\d+\] is recorded)/,
    de: /^(?:Die letzte Änderung von „.*“ \[\d+\]:\n\n- .* UTC: \*\*\w+\*\*|Zu „.*“ \[\d+\] ist keine Änderung)/,
    fr: /^(?:La dernière modification de «\s.*\s» \[\d+\]\s:\n\n- .* UTC: \*\*\w+\*\*|Aucune modification de «\s.*\s» \[\d+\] n’est)/,
  },
  'prompt.exceptions': {
    calls: ['get_last_exception'],
    en: /^The last exception is an? `.+` in \*\*.+\*\*: “.+”\. It was thrown in `.+`, last on .* UTC; it is recorded (?:once|\d+ times)\./,
    de: /^Die letzte Ausnahme ist eine `.+` in \*\*.+\*\*: „.+“\. Sie entstand in `.+`, zuletzt am .* UTC; sie ist (?:einmal|\d+-mal) verzeichnet\./,
    fr: /^La dernière exception est une `.+` dans \*\*.+\*\*\s: «\s.+\s»\. Elle s’est produite dans `.+`, la dernière fois le .* UTC\s; elle est consignée (?:une|\d+) fois\./,
  },
  'prompt.errors': {
    calls: ['get_system_status', 'fetch_logs', 'fetch_logs'],
    en: /^(?:Errors in the log since 19 Nov 2026: \d+, of \d+ kinds\.\n\n- \*\*\d+ ×\*\*|No errors are in the log since 19 Nov 2026)/,
    de: /^(?:Fehler im Protokoll seit 19\.11\.2026: \d+, \d+ verschiedene\.\n\n- \*\*\d+ ×\*\*|Seit 19\.11\.2026 stehen keine Fehler)/,
    fr: /^(?:Erreurs dans le journal depuis 19 nov\. 2026\s: \d+, de \d+ sortes\.\n\n- \*\*\d+ ×\*\*|Aucune erreur dans le journal depuis 19 nov\. 2026)/,
  },
  'prompt.status': {
    calls: ['get_system_status', 'fetch_logs'],
    en: /^\*\*The chat is working:\*\* .* Errors in the log of the last 24 hours: \d+\./,
    de: /^\*\*Der Chat arbeitet:\*\* .* Fehler im Protokoll der letzten 24 Stunden: \d+\./,
    fr: /^\*\*Le chat fonctionne\s:\*\* .* Erreurs dans le journal des dernières 24 heures\s: \d+\./,
  },
  'prompt.explain': {
    calls: ['list_records', 'list_records', 'get_record'],
    en: /^The newest record of this list is “.*” \[\d+\], changed .* UTC\. It says:\n\n- \*\*/,
    de: /^Der neueste Datensatz dieser Liste ist „.*“ \[\d+\], geändert .* UTC\. Darin steht:\n\n- \*\*/,
    fr: /^L’enregistrement le plus récent de cette liste est «\s.*\s» \[\d+\], modifié .* UTC\. Il contient\s:\n\n- \*\*/,
  },
  'prompt.missing': {
    calls: ['check_site'],
    en: /^Of \d+ pages, these have no description \(2\):\n\n- “Winter sale” \[65\]\n- “Privacy” \[63\]$/,
    de: /^Von \d+ Seiten haben diese keine Beschreibung \(2\):\n\n- „Winter sale“ \[65\]\n- „Privacy“ \[63\]$/,
    fr: /^Sur \d+ pages, celles-ci n’ont pas de description \(2\)\s:\n\n- «\sWinter sale\s» \[65\]\n- «\sPrivacy\s» \[63\]$/,
  },
  'prompt.tree': {
    calls: ['get_page_tree'],
    en: /^You may see \d+ pages below the home page\. Its sections:\n\n- \*\*Products\*\* \[2\], \d+ below\n/,
    de: /^Sie dürfen \d+ Seiten unter der Startseite sehen\. Ihre Bereiche:\n\n- \*\*Products\*\* \[2\], \d+ darunter\n/,
    fr: /^Vous pouvez voir \d+ pages sous la page d’accueil\. Ses rubriques\s:\n\n- \*\*Products\*\* \[2\], \d+ au-dessous\n/,
  },
  'prompt.about': {
    calls: ['search_records', 'search_records', 'search_records'],
    en: /^\d+ places that you may see name a price:\n\n(?:- “.*” \[\d+\]: \*\*.*\d.*\*\*\n)+- … and \d+ more\n\n\*This demo/,
    de: /^\d+ Stellen, die Sie sehen dürfen, nennen einen Preis:\n\n(?:- „.*“ \[\d+\]: \*\*.*\d.*\*\*\n)+- … und \d+ weitere\n\n\*Diese Demo/,
    fr: /^\d+ endroits que vous pouvez voir indiquent un prix\s:\n\n(?:- «\s.*\s» \[\d+\]: \*\*.*\d.*\*\*\n)+- … et \d+ de plus\n\n\*Cette démo/,
  },
  'prompt.describe': {
    calls: ['check_site', 'get_record', 'update_record'],
    en: /^waits for a decision$/,
    de: /^waits for a decision$/,
    fr: /^waits for a decision$/,
  },
  'prompt.translate': {
    calls: ['check_site', 'get_record', 'translate_record'],
    en: /^waits for a decision$/,
    de: /^waits for a decision$/,
    fr: /^waits for a decision$/,
  },
  'prompt.pictures': {
    calls: ['find_media', 'view_image', 'view_image', 'view_image', 'update_records'],
    en: /^waits for a decision$/,
    de: /^waits for a decision$/,
    fr: /^waits for a decision$/,
  },
}

const places: Where[] = [
  { module: 'page', page: lamp },
  { module: 'page', page: home },
  { module: 'list', page: { uid: 7, title: 'News' } },
  { module: 'list' },
  { module: 'log' },
  { module: 'chat' },
]
const everything = await Promise.all(
  (['admin', 'editor', 'autorin', 'redakteurin'] as const).flatMap((who) =>
    places.map(async (where) => (await offeredTo(who, where)).map((key) => ({ who, where, key }))),
  ),
)

/** A description of a page is refused to who edits news alone; a test below has the words. */
const open = everything.flat().filter(({ who, key }) => who !== 'autorin' || key !== 'prompt.describe')

describe.each(['en', 'de', 'fr'] as const)('in %s the demo does', (lang) => {
  test.each(open)('$key for $who in $where.module, $where.page.title', async ({ who, where, key }) => {
    const { calls, text } = await answerTo(key, lang, who, where)

    const expected = answers[key] as Expected
    expect(calls).toEqual(expected.calls)
    expect(text).toMatch(expected[lang])
    expect(text).not.toMatch(/\b(?:pages|content|news|media|sys_\w+) \[/)
  })
})

test.each(['en', 'de', 'fr'] as const)('of an open record that is no page, in %s', async (lang) => {
  const { title } = (await cms.record(users.editor, { table: 'news', uid: 2 })) ?? {}
  const scene = {
    cms,
    actor: { ...users.editor, lang },
    record: { table: 'news', uid: 2, title: title ?? '' },
  }
  const told = [words[lang]['prompt.summaryRecord'], words[lang]['prompt.whoRecord']].map((it) =>
    ask(String(it).replace('{title}', title ?? ''), scene),
  )

  expect((await Promise.all(told)).map(({ calls }) => calls)).toEqual([
    [{ name: 'get_record', arguments: { table: 'news', uid: 2 } }],
    [{ name: 'get_record_history', arguments: { table: 'news', uid: 2 } }],
  ])
})

test('a text that the user may not change is not proposed', async () => {
  const { calls, text } = await answerTo('prompt.shorten', 'de', 'autorin', { module: 'page', page: lamp })

  expect(calls).toEqual(['get_page_content', 'get_record'])
  expect(text).toMatch(/^Sie dürfen die Texte auf „Aurora lamp“ \[3\] nicht ändern/)
})

test('a description that the user may not write is not proposed', async () => {
  const { calls, text } = await answerTo('prompt.describe', 'de', 'autorin', { module: 'chat' })

  expect(calls).toEqual(['check_site', 'get_record', 'get_record'])
  expect(text).toMatch(/^Es gibt keine Seite ohne Beschreibung, die Sie ändern dürfen/)
})

test('a shorter text loses a clause before it loses a price', async () => {
  const { calls } = await ask('Propose a shorter text for the first element', {
    cms,
    actor: users.editor,
    page: lamp,
  })
  const before = String((await cms.record(users.editor, { table: 'content', uid: 1 }))?.fields.body)

  expect(calls.at(-1)).toEqual({
    name: 'update_record',
    arguments: {
      table: 'content',
      uid: 1,
      fields: { body: before.replace(', like the first green band over the fjord', '') },
    },
  })
})

test.each([
  ['Summarise the page Delivery', 25, 'This demo is a fixed script, no AI model.'],
  ['Please summarise warranty and repairs', 28, 'This demo is a fixed script, no AI model.'],
  ['Fasse die Seite „Delivery“ zusammen', 25, 'Diese Demo ist ein festes Skript, kein KI-Modell.'],
  ['Résumer la page Delivery', 25, 'Cette démo est un script fixe, pas un modèle d’IA.'],
  ['Summarise this page', 3, 'This demo is a fixed script, no AI model.'],
  ['Summarise it for the Nowhere newsletter', 3, 'This demo is a fixed script, no AI model.'],
])('“%s” is about the page that it names, else about the open one', async (question, page, note) => {
  const lang = /^F/.test(question) ? 'de' : /^R/.test(question) ? 'fr' : 'en'
  const { calls, text } = await ask(question, { cms, actor: { ...users.editor, lang }, page: lamp })

  expect(calls.at(-1)).toEqual({ name: 'get_page_content', arguments: { page } })
  expect(text.split('\n')[0]).toContain(`[${page}]`)
  expect(text).toContain(note)
})

test('what is translated is the page that is named', async () => {
  const { calls } = await ask('Translate Contact into German', { cms, actor: users.editor, page: lamp })

  expect(calls.at(-1)).toMatchObject({ name: 'translate_record', arguments: { table: 'pages', uid: 6 } })
})

test('texts for pictures are those that come with the script, which says that it sees none', async () => {
  const scene = { cms, actor: users.editor, writes: [{ text: 'Stored.', isError: false }] }
  const { calls, text } = await ask('Write alternative texts for the pictures without one', scene)

  expect(calls.at(-1)?.arguments).toEqual({
    table: 'media',
    changes: [2, 4, 6].map((uid) => ({ uid, fields: { alternative: expect.any(String) } })),
  })
  expect(text).toMatch(
    /^The change was made:\n\n> Stored\.\n\n\*This demo is a fixed script, no AI model\. The texts come with it: it does not see the pictures\./,
  )
})
