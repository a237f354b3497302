import { expect, test } from 'vitest'
import { loadLanguage } from '../../../core/base/language.ts'
import { markdown } from '../../../core/chat/export.ts'
import * as Item from '../../../core/conversation/item.ts'
import type { Message } from '../../../core/conversation/transcript/schema.ts'
import { bench, benched, editor } from '../../support/benched.ts'
import { storedWith } from '../../support/seeded.ts'

benched()

/** The headers of the file of a conversation, wherever it is served from, and the status of the answer. */
async function exported(
  id: string,
  format: string,
): Promise<[number, string | undefined, string | undefined]> {
  const { status, headers } = await editor.get('/conversations/export', { conversationId: id, format })
  if (!headers.location) return [status, headers['content-type'], headers['content-disposition']]
  const file = await fetch(headers.location)
  return [status, file.headers.get('content-type') ?? '', file.headers.get('content-disposition') ?? '']
}

test.each([
  ['small', 'Question', 200],
  ['large', 'x'.repeat(300_000), 303],
])('a %s conversation is a file of the type of its format', async (_, content, status) => {
  const { id } = await storedWith(
    Array.from({ length: 20 }, () => content),
    { title: 'Lamps' },
  )

  expect(await exported(id, 'markdown')).toEqual([
    status,
    'text/markdown; charset=utf-8',
    expect.stringContaining('Lamps.md'),
  ])
  expect(await exported(id, 'json')).toEqual([
    status,
    'application/json; charset=utf-8',
    expect.stringContaining('Lamps.json'),
  ])
})

test('a title with an emoji where the name of the file ends can be exported', async () => {
  const { id } = await storedWith(['Question'], { title: `${'x'.repeat(79)}🪔 and more` })

  expect(await exported(id, 'json')).toEqual([
    200,
    'application/json; charset=utf-8',
    `attachment; filename="${'x'.repeat(79)}.json"; filename*=UTF-8''${'x'.repeat(79)}.json`,
  ])
})

test('a picture in the file is not loaded by the viewer of the file', async () => {
  const { id } = await storedWith([
    'Question',
    'Look: ![x](https://evil.example/?d=1) <img src="https://evil.example/">',
  ])

  const { body } = await editor.get<string>('/conversations/export', {
    conversationId: id,
    format: 'markdown',
  })

  expect(body).toContain('Look: ! [x](https://evil.example/?d=1) < img src="https://evil.example/">')
})

test('the file says what the user approved and denied, with the records and the reason', async () => {
  await bench.configure()
  const rename = (id: string, uid: number) => ({
    id,
    name: 'update_record',
    arguments: { table: 'news', uid, fields: { title: `Exported ${uid}` } },
  })
  bench.api.reply(
    { text: 'I propose:', calls: [rename('first', 1)] },
    { text: 'Then this:', calls: [rename('second', 2)] },
    { text: 'Well.' },
  )
  const { conversation } = await editor.turn('Rename them')
  await editor.decide(conversation.id, true)
  await bench.settle()
  await editor.decide(conversation.id, false, 'Too loud')
  await bench.settle()

  const { body } = await editor.get<string>('/conversations/export', {
    conversationId: conversation.id,
    format: 'markdown',
  })

  const lines = body.split('\n\n').filter((part) => !part.startsWith('#'))
  expect(lines).toEqual([
    'Rename them',
    'I propose:',
    '*Used: Change a record*',
    '*Changed with your approval: Exported 1 [1]*',
    'Then this:',
    '*Used: Change a record*',
    '*Denied: The Kobbe stool stacks [2]. Too loud*',
    'Well.\n',
  ])
})

test('the file names a tool as the interface does, and a tool of another server by its name', async () => {
  await loadLanguage('de')
  const conversation = Item.empty('2-a', 0)
  const message: Message = {
    sequence: 0,
    role: 'assistant',
    content: '',
    createdAt: '2026-11-29T12:00:00.000Z',
    toolCalls: ['get_page_content', 'docs_search'].map((name) => ({ id: name, name, arguments: {} })),
  }

  expect(markdown({ ...conversation, title: 'Lampen' }, [message], 'de')).toBe(
    '# Lampen\n\n## Assistent, 2026-11-29T12:00:00.000Z\n\n*Benutzt: Seiteninhalt, docs_search*\n',
  )
})
