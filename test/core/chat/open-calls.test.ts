import { expect, test } from 'vitest'
import { madeCalls, openCalls } from '../../../core/chat/open-calls.ts'
import type { Message } from '../../../core/conversation/transcript/schema.ts'

let sequence = 0
const row = (of: Partial<Message>): Message => ({
  sequence: sequence++,
  role: 'assistant',
  content: '',
  createdAt: '2026-11-20T12:00:00.000Z',
  ...of,
})
const call = (id: string) => ({ id, name: 'get_record', arguments: {} })
const reply = (...ids: string[]) => row({ toolCalls: ids.map(call) })
const result = (id: string) => row({ role: 'tool', toolCallId: id })

test.each([
  ['no reply', [], [], []],
  ['a reply whose calls were not served', [reply('a', 'b')], ['a', 'b'], []],
  ['one of which a part is served', [reply('a', 'b'), result('a')], ['b'], ['a']],
  ['one whose last call was answered first', [reply('a', 'b'), result('b')], ['a'], []],
  ['one that is served', [reply('a', 'b'), result('a'), result('b')], [], ['a', 'b']],
  [
    'a second one of which a part is served',
    [reply('a'), result('a'), reply('b', 'c'), result('b')],
    ['c'],
    ['a', 'b'],
  ],
  ['a notice behind it', [reply('a'), row({ notice: 'undone' })], ['a'], []],
])('after %s', (_, rows, open, made) => {
  expect(openCalls(rows).map(({ id }) => id)).toEqual(open)
  expect(madeCalls(rows).map(({ id }) => id)).toEqual(made)
})
