import { describe, expect, test } from 'vitest'
import {
  emptyTranscript,
  hasEarlier,
  knownCount,
  merge,
  prepend,
  type Transcript,
} from '../../../../web/chat/store/known-transcript.ts'
import { answer, assistant, conversationId, summary, user } from '../build.ts'

const known: Transcript = {
  ...emptyTranscript,
  version: 5,
  summary: summary({ version: 5 }),
  messages: [user(0, 'a'), assistant(1, 'b'), user(2, 'c')],
}
const sequences = (merged: ReturnType<typeof merge>) =>
  typeof merged === 'string' ? merged : merged.messages.map((message) => message.sequence)

describe('an answer of the poll', () => {
  test('adds the rows behind those that are known', () => {
    const merged = merge(
      known,
      answer({ conversation: summary({ version: 6 }), messages: [assistant(3, 'd')] }),
      conversationId,
    )

    expect(sequences(merged)).toEqual([0, 1, 2, 3])
  })

  test.each([
    ['for another conversation', answer({ conversation: summary({ id: '2-other', version: 9 }) })],
    ['older than what is known', answer({ conversation: summary({ version: 4 }), messages: [user(0, 'z')] })],
  ])('%s is dropped', (_, late) => {
    expect(merge(known, late, conversationId)).toBe('stale')
  })

  test('that misses rows in between is a gap', () => {
    const far = answer({ conversation: summary({ version: 9 }), messages: [assistant(8, 'x')] })

    expect(merge(known, far, conversationId)).toBe('gap')
  })

  test('with a cut transcript starts again', () => {
    const cut = answer({ conversation: summary({ version: 7 }), reset: true, messages: [user(0, 'edited')] })

    expect(sequences(merge(known, cut, conversationId))).toEqual([0])
  })

  test('that says unchanged keeps everything but the activity', () => {
    const activity = [{ kind: 'llm' as const, round: 1, ms: 9 }]

    const merged = merge(known, answer({ unchanged: true, activity }), conversationId)

    expect(merged).toEqual({ ...known, activity })
  })

  test('does not replace a newer state that another request brought', () => {
    const told: Transcript = { ...known, summary: summary({ version: 8, title: 'Renamed' }) }

    const merged = merge(told, answer({ conversation: summary({ version: 6 }) }), conversationId)

    expect(merged).toMatchObject({ version: 6, summary: { title: 'Renamed' } })
  })

  test('replaces rows that are known from where it starts', () => {
    const again = answer({
      conversation: summary({ version: 6 }),
      messages: [assistant(1, 'B'), user(2, 'C'), assistant(3, 'D')],
    })

    const merged = merge(known, again, conversationId)

    expect(typeof merged === 'string' || merged.messages.map(({ content }) => content)).toEqual([
      'a',
      'B',
      'C',
      'D',
    ])
  })
})

test('older rows go before what is known, each once', () => {
  const late: Transcript = { ...known, messages: [user(2, 'c')] }
  expect(hasEarlier(late)).toBe(true)

  const whole = prepend(late, [user(0, 'a'), assistant(1, 'b'), user(2, 'c')])

  expect(sequences(whole)).toEqual([0, 1, 2])
  expect(hasEarlier(whole)).toBe(false)
  expect(knownCount(whole)).toBe(3)
})
