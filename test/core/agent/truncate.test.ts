import { describe, expect, test } from 'vitest'
import { boundReply } from '../../../core/agent/truncate.ts'

const call = (at: number, args: Record<string, unknown> = {}) => ({
  id: `call-${at}`,
  name: 'get_record',
  arguments: args,
})
const calls = (count: number, args?: Record<string, unknown>) =>
  Array.from({ length: count }, (_, at) => call(at, args))

describe('a reply', () => {
  test('that is small is kept as it is', () => {
    const reply = { text: 'Let me look.', calls: calls(3, { uid: 1 }) }
    expect(boundReply(reply)).toEqual({ ...reply, isCut: false })
  })

  test('keeps ids whole in which a server keeps data, beside short ones that name the calls', () => {
    const reply = {
      text: '',
      calls: calls(12).map((one) => ({ ...one, id: `${one.id}__thought__${'s'.repeat(7_900)}` })),
    }
    const named = reply.calls.map((one) => ({
      ...one,
      id: expect.stringMatching(/^[0-9a-f]{64}$/),
      given: one.id,
    }))
    expect(boundReply(reply)).toEqual({ ...reply, calls: named, isCut: false })
    expect(new Set(boundReply(reply).calls.map(({ id }) => id)).size).toBe(12)
  })

  test.each([60, 61, 300, 5_000])('of %i calls keeps at most the first sixty', (count) => {
    const { calls: kept, isCut } = boundReply({ text: '', calls: calls(count) })
    expect(kept).toEqual(calls(60))
    expect(isCut).toBe(count > 60)
  })

  test.each<[string, Parameters<typeof boundReply>[0]]>([
    ['many calls', { text: '', calls: calls(5_000, { text: 'x'.repeat(1_000) }) }],
    [
      'much text and large arguments',
      { text: 'ü'.repeat(300_000), calls: calls(60, { text: 'x'.repeat(190_000) }) },
    ],
    ['endless names', { text: '', calls: calls(60).map((one) => ({ ...one, name: 'n'.repeat(100_000) })) }],
    [
      'endless ids',
      { text: '', calls: calls(60).map((one) => ({ ...one, id: `${one.id}${'i'.repeat(100_000)}` })) },
    ],
  ])('of %s stays below the size of an item', (_, reply) => {
    const { text, calls: kept } = boundReply(reply)
    expect(Buffer.byteLength(text + JSON.stringify(kept))).toBeLessThan(400_000)
  })
})
