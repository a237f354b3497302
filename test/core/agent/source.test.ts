import { describe, expect, test } from 'vitest'
import { sourcesOf } from '../../../core/agent/source.ts'
import type { Message } from '../../../core/conversation/transcript/schema.ts'
import { partsOf } from '../../../core/model/citable.ts'
import type { ModelMessage, UserBlock } from '../../../core/model/model.ts'

const row = (more: Partial<Message>): Message => ({
  sequence: 0,
  role: 'tool',
  content: '',
  createdAt: '2026-11-25T10:00:00.000Z',
  ...more,
})
const lamp = { table: 'content', uid: 26, title: 'Aurora lamp' }
const page = { table: 'pages', uid: 3, title: 'Aurora' }

/** The source of the first part of a result, or of a file, that has these words. */
function sourceOf(
  words: string,
  block: UserBlock & { text: string },
  rows: Message[],
  call?: { name: string; file?: number },
) {
  const from = partsOf(block.text).findIndex((part) => part.includes(words))
  const messages: ModelMessage[] = call
    ? [
        {
          role: 'assistant',
          content: [{ type: 'tool_call', id: 'a', name: call.name, arguments: { file: call.file } }],
        },
      ]
    : []
  const [source] = sourcesOf([{ at: 4, block, from, to: from + 1 }], { messages, rows })
  return source
}
const result = (text: string) => ({ type: 'tool_result' as const, callId: 'a', text, isError: false })

describe('the source of a sentence is', () => {
  const record =
    'Record content [26] “Aurora lamp”\nFields:\n- header (Headline): Aurora, see [3]\n- price (read-only): 149\n- body: One\nTwo'
  test.each([
    ['see [3]', 'Headline'],
    ['149', 'price'],
    ['Two', 'body'],
  ])('of %j the record with the field %s', (words, field) => {
    const rows = [row({ toolCallId: 'a', records: [lamp] })]
    expect(sourceOf(words, result(record), rows, { name: 'get_record' })).toEqual({ at: 4, ...lamp, field })
  })

  test('in a list the record of the line, in the content of a page the element above the line', () => {
    const rows = [row({ toolCallId: 'a', records: [page, lamp] })]
    const list = 'Table pages:\n- [3] “Aurora”\n- [26] “Aurora lamp”'
    const content = 'Page “Aurora” [3]\nPath: Home [1] > Aurora [3]\n\ncontent [26] text\nIt costs 149 EUR.'

    expect(sourceOf('[3]', result(list), rows, { name: 'list_records' })).toEqual({ at: 4, ...page })
    expect(sourceOf('149', result(content), rows, { name: 'get_page_content' })).toEqual({ at: 4, ...lamp })
    expect(sourceOf('Table', result(list), rows, { name: 'list_records' })).toBeUndefined()
  })

  test('in the result of a call that is stored under a shorter id the same', () => {
    const call = { id: 'short', given: 'a', name: 'get_record', arguments: {} }
    const rows = [
      row({ role: 'assistant', toolCalls: [call] }),
      row({ toolCallId: 'short', records: [lamp] }),
    ]
    expect(sourceOf('149', result(record), rows, { name: 'get_record' })).toMatchObject(lamp)
  })

  const attached = (name: string) => row({ role: 'user', fileUid: 7, fileName: name })
  test.each<[name: string, text: string, words: string, place: object]>([
    ['list.pdf', '## Page 1\n\nOne\n\n## Page 2\n\nTwo', 'Two', { page: 2 }],
    ['deck.pptx', '## Slide 4\n\nFour', 'Four', { page: 4 }],
    [
      'list.xlsx',
      '## Prices\n\nName\tPrice\nAurora\t149\n\nVega\t169\n\n## Old (hidden)\n\nNova\t1',
      'Aurora',
      { sheet: 'Prices', row: 2 },
    ],
    ['list.xlsx', '## Prices\n\nName\tPrice\nAurora\t149\n\nVega\t169', 'Vega', { sheet: 'Prices', row: 4 }],
    [
      'list.xlsx',
      '## Old (hidden) (from row 40 of this sheet on; its first row: a)\n\nNova\t1',
      'Nova',
      { sheet: 'Old', row: 40 },
    ],
    ['note.docx', '# Offer\n\n## Prices\n\nNova', 'Nova', {}],
  ])('in %s %j the place of %j', (name, text, words, place) => {
    const block = { type: 'text' as const, text, fileUid: 7 }
    const source = { at: 4, fileUid: 7, name, ...place }

    expect(sourceOf(words, block, [attached(name)])).toEqual(source)
    expect(sourceOf(words, result(text), [attached(name)], { name: 'read_file', file: 7 })).toEqual(source)
  })

  test('the page of a PDF that the model got as it is', () => {
    const block = {
      type: 'document' as const,
      mimeType: 'application/pdf' as const,
      base64: '',
      title: 'a.pdf',
      fileUid: 7,
    }
    const twice = [
      { at: 4, block, from: 3, to: 4 },
      { at: 4, block, from: 3, to: 4 },
    ]

    expect(sourcesOf(twice, { messages: [], rows: [attached('a.pdf')] })).toEqual([
      { at: 4, fileUid: 7, name: 'a.pdf', page: 3 },
    ])
  })
})
