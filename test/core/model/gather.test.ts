import { describe, expect, test } from 'vitest'
import { gather } from '../../../core/model/gather.ts'

const streamed = (...events: object[]) => [
  { type: 'message_start', message: { content: [] } },
  ...events,
  { type: 'message_delta', delta: { stop_reason: 'end_turn' } },
  { type: 'message_stop' },
]
const piece = (text: string, over: object = {}) => ({
  type: 'content_block_delta',
  delta: { type: 'text_delta', text },
  ...over,
})
const block = (over: object = {}) => ({
  type: 'content_block_start',
  content_block: { type: 'text' },
  ...over,
})
const contentOf = (...events: object[]) => {
  const gathered = gather(streamed(...events))
  return 'message' in gathered ? gathered.message.content : gathered.fault
}

describe('a stream', () => {
  test('of a server that counts no blocks loses no text', () => {
    expect(contentOf(block(), piece('one '), piece('two'), block(), piece('three'))).toEqual([
      { type: 'text', text: 'one two' },
      { type: 'text', text: 'three' },
    ])
  })

  test('adds each piece to the block that it names', () => {
    const [first, second] = [{ index: 0 }, { index: 1 }]
    const events = [block(first), block(second), piece('b', second), piece('a', first)]
    expect(contentOf(...events)).toEqual([
      { type: 'text', text: 'a' },
      { type: 'text', text: 'b' },
    ])
  })

  test.each(['constructor', '__proto__', 'toString'])(
    'with a piece of the kind %s is read without it',
    (type) => {
      expect(contentOf(block(), piece('a'), piece('b', { delta: { type, text: 'b' } }))).toEqual([
        { type: 'text', text: 'a' },
      ])
    },
  )

  test('with a piece before any block is read without it', () => {
    expect(contentOf(piece('a'), piece('b', { index: 3 }))).toEqual([])
  })
})
