import { describe, expect, test } from 'vitest'
import { denial } from '../../../../core/agent/reply.ts'
import type { Change } from '../../../../core/cms/change.ts'
import { stuckFigure, stuckMs } from '../../../../core/conversation/turn-failure.ts'
import { seededCms } from '../../../support/cms.ts'
import { showChange } from '../../../support/put.ts'
import { ask, type Scene } from './conversation.ts'

const { cms, admin, editor, autorin, redakteurin } = await seededCms(Date.UTC(2026, 10, 20))
const users = { admin, editor, autorin, redakteurin }

const lamp = { uid: 3, title: 'Aurora lamp' }

function as(username: keyof typeof users, more: Partial<Scene> = {}): Scene {
  return { cms, actor: users[username], ...more }
}

const names = (told: Awaited<ReturnType<typeof ask>>) => told.calls.map(({ name }) => name)

describe('a question about the site', () => {
  test('is answered with the sentence of the page, and its source', async () => {
    const told = await ask('What does the Aurora lamp cost?', as('editor'))

    expect(names(told).slice(0, 2)).toEqual(['search_records', 'get_page_content'])
    expect(told.text).toBe(
      '“Aurora lamp” [3] names **149 EUR**:\n\n> The Aurora lamp costs 149 EUR.\n\nSource: Home [1] > Products [2] > Aurora lamp [3], content [1]',
    )
  })

  test('is answered in the language of the user', async () => {
    const { text } = await ask('Was kostet die Aurora-Lampe?', as('autorin'))

    expect(text).toMatch(/^„Aurora lamp“ \[3\] nennt \*\*149 EUR\*\*:/)
  })

  test('is about what it names, not about what is open', async () => {
    expect((await ask('What does the Borealis desk cost?', as('editor', { page: lamp }))).text).toContain(
      '“Borealis desk” [4] names **890 EUR**',
    )
  })

  test('is about the open page when it names nothing else', async () => {
    expect((await ask('How long is the warranty?', as('editor', { page: lamp }))).text).toMatch(
      /^“Aurora lamp” \[3\] says:\n\n> Five years of warranty/,
    )
  })

  test('is about the page that the user named beside it, not about the open one', async () => {
    const mentions = [{ kind: 'page' as const, table: 'pages', uid: 4, title: 'Borealis desk' }]
    const told = await ask('Summarise', as('editor', { page: lamp, mentions }))

    expect(told.calls).toEqual([{ name: 'get_page_content', arguments: { page: 4 } }])
    expect(told.text).toMatch(/^“Borealis desk” \[4\] in its own sentences:/)
  })

  test('is about the record that the user named beside it', async () => {
    const mentions = [{ kind: 'record' as const, table: 'news', uid: 37, title: 'Aurora lamp: new price' }]
    const told = await ask('Summarise', as('editor', { page: lamp, mentions }))

    expect(told.calls).toEqual([{ name: 'get_record', arguments: { table: 'news', uid: 37 } }])
    expect(told.text).toMatch(/^“Aurora lamp: new price” \[37\] says:\n\n> /)
  })

  test('proposes a shorter text for the element that the user named beside it', async () => {
    const mentions = [{ kind: 'record' as const, table: 'content', uid: 3, title: 'Care' }]
    const told = await ask('Shorten the text of this element', as('editor', { page: lamp, mentions }))

    expect(told.calls.at(-1)).toMatchObject({ name: 'update_record', arguments: { uid: 3 } })
  })

  test('finds what the user may see, and nothing else', async () => {
    const asked = 'What does the board say about Nightjar?'

    expect((await ask(asked, as('admin'))).text).toContain('Nightjar: the takeover')
    expect((await ask('Tell me about Nightjar', as('editor'))).text).toContain(
      'found nothing that you may see',
    )
  })
})

describe('a request to show something', () => {
  test.each<[keyof typeof users, string, unknown[], string]>([
    [
      'editor',
      'What is this page about?',
      [{ page: 3 }],
      'The page “Aurora lamp” [3] has 6 content elements.',
    ],
    ['autorin', 'Was steht auf Seite 4?', [{ page: 4 }], 'Die Seite „Borealis desk“ [4] hat'],
    ['editor', 'Show me the page tree', [{}], '- Products [2]'],
    ['editor', 'Show the pages below page 2', [{ root: 2 }], '- Lighting [20]'],
    ['autorin', 'Liste die News', [{ table: 'news' }], 'Datensätze der Tabelle news:'],
    [
      'editor',
      'List all records of the table content on this page',
      [{ table: 'content', page: 3 }],
      '[1] “Aurora lamp”',
    ],
    [
      'editor',
      'Who changed this page?',
      [{ table: 'pages', uid: 3 }],
      'The last change of “Aurora lamp” [3]:',
    ],
    [
      'autorin',
      'Wer hat Seite 3 geändert?',
      [
        { table: 'pages', uid: 3 },
        { table: 'pages', uid: 3 },
      ],
      'Die letzte Änderung von „Aurora lamp“ [3]:',
    ],
    ['editor', 'List my files', [{}], '- [7] offer.pdf'],
    ['admin', 'Show the latest errors', [{ level: 'error' }], 'CRITICAL frontend'],
    ['admin', 'Show the last exception', [{}], 'The last exception is an `Error`'],
    ['admin', 'System status', [{}, { level: 'error', limit: 5 }], 'dead letters: 0'],
    ['admin', 'List all backend users', [{}], '- [2] editor'],
  ])('%s: %s', async (username, question, args, words) => {
    const told = await ask(question, as(username, { page: lamp }))

    expect(told.calls.map((call) => call.arguments)).toEqual(args)
    expect(told.text).toContain(words)
  })

  test('tells in the tool’s words that something is not there', async () => {
    const { text } = await ask('Show page 11', as('editor'))

    expect(text).toContain('Page 11 was not found, or the user may not see it.')
  })
})

describe('a change', () => {
  const stored = {
    text: 'Stored. Record pages [3] “Aurora table lamp” now says:\n- title: Aurora table lamp',
    isError: false,
  }
  const denied = { text: `${denial}\nThe user says to this: Too early.`, isError: true }

  test('is proposed after the record was read, and told as it was read back', async () => {
    const told = await ask('Rename page 3 to Aurora table lamp', as('editor', { writes: [stored] }))

    expect(told.calls).toEqual([
      { name: 'get_record', arguments: { table: 'pages', uid: 3 } },
      {
        name: 'update_record',
        arguments: { table: 'pages', uid: 3, fields: { title: 'Aurora table lamp' } },
      },
    ])
    expect(told.text).toContain('The change was made:\n\n> Stored. Record pages [3]')
  })

  const html = (label: string) => ({
    text: `Stored. Record content [1] “Lamp” now says:\n- body (${label}): <p>It costs <b>139 EUR</b>.</p>\n<p>Below 2 > 1.</p>`,
    isError: false,
  })

  test('is repeated with the labels of its fields, without the tags of HTML', async () => {
    const { text } = await ask('Rename page 3 to Aurora table lamp', as('editor', { writes: [html('Text')] }))

    expect(text).toBe(
      'The change was made:\n\n> Stored. Record content [1] “Lamp” now says:\n>\n> - Text: It costs 139 EUR.\n>\n> Below 2 > 1.',
    )
  })

  test('is repeated with the labels in the language of the user', async () => {
    const question = 'Setze den Titel von Seite 3 auf Aurora Tischleuchte'
    const { text } = await ask(question, as('autorin', { page: lamp, writes: [html('Fließtext')] }))

    expect(text).toBe('Die Änderung ist gemacht:\n\n> - Fließtext: It costs 139 EUR.\n>\n> Below 2 > 1.')
  })

  test('of a field that the record has not names its fields as a person reads them', async () => {
    const { text } = await ask('Set colour of news 12 to red', as('editor'))

    expect(text).toMatch(/has no field “colour”\. Its fields: Title, /)
    expect(text).not.toMatch(/\btitle\b/)
  })

  test.each([
    ['Delete news 12.', 'delete_record', 12],
    ['Bitte lösche news 12', 'delete_record', 12],
    ['Supprimer la news 12', 'delete_record', 12],
    ['Delete Aurora lamp', 'delete_record', 3],
    ['Bring news 12 back', 'undelete_record', 12],
    ['Hole news 12 aus dem Papierkorb', 'undelete_record', 12],
    ['Récupérer news 12', 'undelete_record', 12],
  ])('that deletes or brings back is proposed: %s', async (question, name, uid) => {
    const { calls, text } = await ask(question, as('editor', { writes: [stored] }))

    const table = uid === 3 ? 'pages' : 'news'
    expect(calls.at(-1)).toEqual({ name, arguments: { table, uid } })
    expect(text).toContain('The change was made:')
  })

  test('says that it was not made when it was not', async () => {
    const english = await ask('Rename page 3 to Aurora table lamp', as('editor', { writes: [denied] }))
    const german = await ask('Nenne Seite 3 in Aurora Tischlampe um', as('redakteurin', { writes: [denied] }))

    expect([english.text, german.text]).toEqual([
      'Nothing was changed:\n\n> You denied the change. Too early.',
      'Es wurde nichts geändert:\n\n> Sie haben die Änderung abgelehnt. Too early.',
    ])
  })

  test('of a price keeps everything around it', async () => {
    const { calls, text } = await ask('Put 139 EUR on the page', as('editor', { page: lamp }))
    const body = (await cms.record(editor, { table: 'content', uid: 1 }))?.fields.body

    expect(calls.at(-1)).toEqual({
      name: 'update_record',
      arguments: { table: 'content', uid: 1, fields: { body: String(body).replace('149 EUR', '139 EUR') } },
    })
    expect(text).toBe('waits for a decision')
  })

  test('comes with others in one proposal', async () => {
    const { calls } = await ask('Rename page 3 to A and create a page B under Products', as('editor'))

    expect(calls.slice(-2)).toEqual([
      { name: 'update_record', arguments: { table: 'pages', uid: 3, fields: { title: 'A' } } },
      { name: 'create_page_draft', arguments: { parent: 2, title: 'B' } },
    ])
  })

  test('of a hidden element goes to the open page', async () => {
    const question = 'Create a hidden text element “Delivery” on this page: Within five days.'

    expect((await ask(question, as('editor', { page: lamp }))).calls).toEqual([
      {
        name: 'create_content_draft',
        arguments: { page: 3, type: 'text', header: 'Delivery', body: 'Within five days.' },
      },
    ])
  })

  test.each([
    ['Rename page 3 to Aurora lamp', 'pages [3] says “Aurora lamp” already.'],
    ['Change the colour of page 3 to red', 'pages [3] has no field “colour”'],
    ['Rename this page to X', 'I did not find the record that you mean.'],
    ['Set the price of page 6 to 5 EUR', 'I found no price on'],
  ])('is not proposed when there is nothing to propose: %s', async (question, words) => {
    const told = await ask(question, as('editor'))

    expect(names(told)).not.toContain('update_record')
    expect(told.text).toContain(words)
  })

  test('says who could allow it when the tool is not offered', async () => {
    const refusals = [{ tool: 'update_record', reason: 'One of your groups may not use this tool.' }]
    const { text } = await ask('Rename page 3 to X', as('editor', { without: ['update_record'], refusals }))

    expect(text).toBe(
      'That I cannot do here: I would need a tool that you do not have. One of your groups may not use this tool.',
    )
  })
})

describe('a translation', () => {
  test.each([2, 6, 8])('that is prepared of page %i is one that the site takes', async (uid) => {
    const { calls } = await ask(`Translate page ${uid} into German`, as('editor'))
    const last = calls.at(-1)
    expect(last?.name).toBe('translate_record')

    const write = { ...(last?.arguments as object) } as Extract<Change, { kind: 'translate' }>
    const { changes } = await showChange(cms, editor, write, [])
    expect(changes.map(({ field }) => field)).toContain('description')
  })

  test('that is not prepared is not made up', async () => {
    const told = await ask(
      'Übersetze diese Seite',
      as('editor', { page: lamp, actor: { ...editor, lang: 'de' } }),
    )

    expect(names(told)).toEqual(['get_record'])
    expect(told.text).toMatch(/^Eine Übersetzung von „Aurora lamp“ habe ich nicht\./)
  })
})

describe('an answer is not odd', () => {
  const french = { ...editor, lang: 'fr' }

  test('a summary is in the language of the reader, of whole sentences, and says nothing twice', async () => {
    const home = { page: { uid: 1, title: 'Home' } }
    const english = (await ask('Summarise “Home” in three sentences', as('editor', home))).text
    const german = (await ask('Fasse „Home“ in drei Sätzen zusammen', as('redakteurin', home))).text

    expect(english).not.toMatch(/\b(?:und|für|baut)\b|Repairs for life\n/)
    expect(german).toMatch(/\b(?:und|für)\b/)
    const contact = await ask('Summarise “Contact”', as('editor', { page: { uid: 6, title: 'Contact' } }))
    expect(contact.text).not.toContain('Telefon')
  })

  test('a shorter text keeps numbers and addresses', async () => {
    for (const uid of [3, 4, 6]) {
      const { calls } = await ask('Shorten the first text', as('editor', { page: { uid, title: 'It' } }))
      const { arguments: args } = calls.at(-1) ?? {}
      const { uid: element, fields } = args as { uid: number; fields: { body: string } }
      const before = String((await cms.record(editor, { table: 'content', uid: element }))?.fields.body)
      const facts = (text: string) => text.match(/\S*[\d@]\S*/g) ?? []

      expect(fields.body.length).toBeLessThan(before.length)
      expect(facts(fields.body.replace(/<[^<>]*>/g, ' '))).toEqual(facts(before.replace(/<[^<>]*>/g, ' ')))
    }
  })

  test('a place that names a page has the name, not the word', async () => {
    const { text } = await ask('Find every place that names “Home”', as('editor'))

    expect(text).not.toMatch(/way home|it home|\*\*media\*\*/)
  })

  test('a history names its record, in quotes and days of the language', async () => {
    expect((await ask('Who changed page 3?', as('editor'))).text).toContain('of “Aurora lamp” [3]')
    const { text } = await ask('Qui a modifié la page 3 ?', as('editor', { actor: french }))

    expect(text).toMatch(/^La dernière modification de «\sAurora lamp\s» \[3\]/)
    expect(text).not.toMatch(/[“”]|\d{4}-\d\d-\d\d/)
  })

  test('an exception is explained', async () => {
    expect((await ask('Explain the last exception', as('admin'))).text).toMatch(
      /^The last exception is an `Error`[\s\S]*In plain words: a visitor opened/,
    )
  })

  test('the health of the system is told in words, without a contradiction', async () => {
    const german = { ...admin, lang: 'de' }
    const { text } = await ask('Ist das System gesund?', as('admin', { actor: german }))

    expect(text).not.toMatch(/[a-z][A-Z]\w*:|Queue|Turns|\d{4}-\d\d-\d\d/)
    expect(text).toContain('Die letzten Fehler davor:')
  })

  test.each([
    ['Queue: dead letters', 'given up: 1, turns without progress: 0.', '- Messages given up: 1'],
    [
      stuckFigure,
      'given up: 0, turns without progress: 1.',
      `- Answers without progress for ${stuckMs / 60_000} minutes: 1`,
    ],
  ])('a figure %s above 0 needs attention', async (name, verdict, line) => {
    const figures = { 'Queue: dead letters': 0, 'Turns: busy': 2, [stuckFigure]: 0, [name]: 1 }
    const { text } = await ask('Is the system healthy?', as('admin', { figures }))

    expect(text).toContain(`**The chat needs attention:** messages ${verdict}`)
    expect(text).toContain('- Answers in work: 2')
    expect(text).toContain(line)
  })

  test('no errors since yesterday is followed by the last that there were', async () => {
    expect((await ask('Which errors came up since yesterday?', as('admin'))).text).toMatch(
      /^No errors are in the log since 19 Nov 2026\.\n\nThe last errors before that:\n\n- 17 Nov 2026/,
    )
  })

  test.each([
    ['editor', 'Publish page 65', 'visible'],
    ['redakteurin', 'Veröffentliche Seite 65', 'visible'],
    ['editor', 'Masquer la page 65', 'hidden'],
  ] as const)('%s: %s is proposed', async (who, question, state) => {
    expect((await ask(question, as(who))).calls.at(-1)).toEqual({
      name: 'set_state',
      arguments: { table: 'pages', uid: 65, state },
    })
  })

  test.each([
    ['editor', 'Check the site for dead links', /^(?:No dead link|Of \d+ pages)/],
    ['redakteurin', 'Prüfe die Website auf tote Links', /^(?:Kein toter Link|Von \d+ Seiten)/],
  ] as const)('%s: %s is looked after', async (who, question, words) => {
    expect((await ask(question, as(who))).text).toMatch(words)
  })

  test.each([
    ['editor', 'Set the description of all product pages', /^That I cannot:/],
    ['editor', 'Can you make the text friendlier?', /^That I cannot:/],
    ['redakteurin', 'Kannst du den Text freundlicher machen?', /^Das kann ich nicht:/],
    ['redakteurin', 'Setze die Beschreibung aller Produktseiten', /^Das kann ich nicht:/],
  ] as const)('%s: to “%s” it says that it cannot', async (who, question, words) => {
    const { calls, text } = await ask(question, as(who, { page: lamp }))

    expect([calls, text]).toEqual([[], expect.stringMatching(words)])
  })

  test('a question in German finds the German sentence', async () => {
    const { text } = await ask('Wie lange kann ich eine Lampe zurückgeben?', as('redakteurin'))

    expect(text).toContain('60 Tage')
  })

  test('prices come with the page that names them, each once', async () => {
    const { text } = await ask('What does the site say about prices?', as('editor'))
    const lines = text.split('\n').filter((line) => line.startsWith('- “'))

    expect(text).not.toMatch(/“Facts”|“Daten”/)
    expect(new Set(lines).size).toBe(lines.length)
  })

  test('what is refused is said in the language of the reader, without the name of a tool', async () => {
    const refused = { text: 'The groups of this user may not change records of this table.', isError: true }
    const { text } = await ask('Benenne Seite 3 in Leuchte um', as('redakteurin', { writes: [refused] }))

    expect(text).toBe(
      'Es wurde nichts geändert:\n\n> Sie dürfen das nicht. Ein Administrator kann Ihnen das Recht geben.',
    )
  })
})
