import { describe, expect, test } from 'vitest'
import * as Table from '../../../../core/base/aws/table.ts'
import { days } from '../../../../core/stage/usage/item.ts'
import { nothing, type Used } from '../../../../core/stage/usage/sum.ts'
import * as Usage from '../../../../core/stage/usage/usage.ts'
import { counting, type Reserved, type SettledCall } from '../../../../core/stage/usage/usage.ts'

const noon = Date.parse('2026-03-01T12:00:00Z')
const beforeMidnight = Date.parse('2026-03-01T23:59:59Z')
const afterMidnight = Date.parse('2026-03-02T00:00:30Z')

let users = 1_000
/** A user whom no other test knows. */
const newUser = () => ++users
const call = (runId = 'run', round = 1) => ({ runId, round })
const used = (tokens: number, over: Partial<Used> = {}): Used => ({
  model: 'a.model-5:0',
  input: tokens - 10,
  output: 10,
  cacheRead: 5,
  cacheWrite: 0,
  microDollars: 7,
  ...over,
})

const held = (uid: number, tokens: number, { of = call(), daily = 1_000, at = noon } = {}) =>
  Usage.reserve(uid, { ...of, tokens }, daily, at)
const reserve = async (...given: Parameters<typeof held>) => typeof (await held(...given)) === 'object'
const settled = async (uid: number, at = noon) => (await Usage.today(uid, at)).settled
const item = (uid: number, day = '2026-03-01') => Table.get({ pk: `user#${uid}`, sk: `usage#${day}` })
const committed = async (uid: number, day?: string) => (await item(uid, day))?.committed

describe('reserve', () => {
  test('admits a call while something is left of the day, and sets no more than that aside', async () => {
    const uid = newUser()

    expect(await reserve(uid, 600, { of: call('a') })).toBe(true)
    expect(await reserve(uid, 900, { of: call('b') })).toBe(true)
    expect(await committed(uid)).toBe(1_000)
    expect(await reserve(uid, 1, { of: call('c') })).toBe(false)
  })

  test('admits one call that is larger than a whole day', async () => {
    const uid = newUser()

    expect(await reserve(uid, 1_001)).toBe(true)
    expect(await reserve(uid, 1, { of: call('other') })).toBe(false)
    expect(await committed(uid)).toBe(1_000)
  })

  test('of a spent day writes nothing', async () => {
    const uid = newUser()

    expect(await reserve(uid, 1, { daily: 0 })).toBe(false)
    expect(await item(uid)).toBeUndefined()
  })

  test('tells a day whose rest other calls hold from one that is spent', async () => {
    const uid = newUser()
    await reserve(uid, 1_000)
    const refused = () => held(uid, 1, { of: call('other') })

    expect(await refused()).toBe('held')
    await Usage.settleCall(uid, call(), used(1_000), noon)
    expect(await refused()).toBe('spent')
  })

  test('of parallel turns admits no more than the day has', async () => {
    const uid = newUser()

    const admitted = await Promise.all(
      Array.from({ length: 30 }, (_, at) => reserve(uid, 100, { of: call(`run-${at}`) })),
    )

    expect(admitted.filter(Boolean)).toHaveLength(10)
    expect(await committed(uid)).toBe(1_000)
  })

  test('again for the same call takes nothing more, also at the same time', async () => {
    const uid = newUser()

    const admitted = await Promise.all(Array.from({ length: 10 }, () => reserve(uid, 700)))

    expect(new Set(admitted)).toEqual(new Set([true]))
    expect(await committed(uid)).toBe(700)
  })

  test('again for a call that is admitted is no matter of room', async () => {
    const uid = newUser()
    await reserve(uid, 700)
    await reserve(uid, 300, { of: call('other') })

    expect(await reserve(uid, 900)).toBe(true)
    expect(await committed(uid)).toBe(1_000)
  })

  test('of a later round replaces what an earlier one left open', async () => {
    const uid = newUser()
    await reserve(uid, 700, { of: call('run', 1) })

    expect(await reserve(uid, 900, { of: call('run', 2) })).toBe(true)
    expect(await committed(uid)).toBe(900)
    expect(await reserve(uid, 1_001, { of: call('run', 3) })).toBe(true)
    expect(await committed(uid)).toBe(1_000)
  })

  test('of a consumer that died is given to who needs it, an hour later', async () => {
    const uid = newUser()
    await reserve(uid, 1_000, { of: call('dead') })

    const again = (at: number) => reserve(uid, 700, { of: call('alive'), at })
    expect(await again(noon + 3_600_000)).toBe(false)
    expect(await again(noon + 3_600_001)).toBe(true)
    expect(await committed(uid)).toBe(700)
  })

  test('of a round that is settled meanwhile by a late consumer takes nothing', async () => {
    const uid = newUser()
    await reserve(uid, 500)
    await Usage.settleCall(uid, call(), used(300), noon)
    await Usage.release(uid, call().runId, noon)

    expect(await reserve(uid, 500)).toBe(true)
    expect(await committed(uid)).toBe(300)
  })

  test('of a round that is settled takes nothing', async () => {
    const uid = newUser()
    await reserve(uid, 500)
    await Usage.settleCall(uid, call(), used(1_000), noon)

    expect(await reserve(uid, 500)).toBe(true)
    expect(await reserve(uid, 500, { of: call('run', 2) })).toBe(false)
    expect(await committed(uid)).toBe(1_000)
  })

  test('without a limit writes nothing', async () => {
    const uid = newUser()

    expect(await Usage.reserve(uid, { ...call(), tokens: 1e9 }, null, noon)).toEqual({
      date: '2026-03-01',
      tokens: 0,
    })
    expect(await item(uid)).toBeUndefined()
  })

  test('counts a day in UTC', async () => {
    const uid = newUser()
    await reserve(uid, 1_000, { of: call('a'), at: beforeMidnight })

    expect(await reserve(uid, 1, { of: call('b'), at: beforeMidnight })).toBe(false)
    expect(await reserve(uid, 1_000, { of: call('b'), at: afterMidnight })).toBe(true)
  })
})

describe('settle', () => {
  test('replaces the reservation by what was used', async () => {
    const uid = newUser()
    await reserve(uid, 900)
    expect(await settled(uid)).toBe(0)

    await Usage.settleCall(uid, call(), used(300), noon)

    expect(await settled(uid)).toBe(300)
    expect(await reserve(uid, 700, { of: call('run', 2) })).toBe(true)
    expect(await reserve(uid, 1, { of: call('other') })).toBe(false)
  })

  test('counts all that was used, even beyond the reservation and the day', async () => {
    const uid = newUser()
    await reserve(uid, 900)

    await Usage.settleCall(uid, call(), used(1_200), noon)

    expect(await settled(uid)).toBe(1_200)
    expect(await reserve(uid, 1, { of: call('run', 2) })).toBe(false)
  })

  test('again counts nothing more, also at the same time', async () => {
    const uid = newUser()
    await reserve(uid, 900)

    await Promise.all(Array.from({ length: 10 }, () => Usage.settleCall(uid, call(), used(300), noon)))
    await Usage.settleCall(uid, call(), used(300), noon)

    expect([await settled(uid), await committed(uid)]).toEqual([300, 300])
  })

  test('of parallel turns counts each', async () => {
    const uid = newUser()
    const calls = Array.from({ length: 15 }, (_, at) => call(`run-${at}`))
    await Promise.all(calls.map((of) => reserve(uid, 100, { of, daily: 10_000 })))

    await Promise.all(calls.map((of) => Usage.settleCall(uid, of, used(40), noon)))

    expect([await settled(uid), await committed(uid)]).toEqual([600, 600])
  })

  test('without a limit counts each round once', async () => {
    const uid = newUser()

    await Usage.settleCall(uid, call('run', 1), used(50), noon)
    await Usage.settleCall(uid, call('run', 1), used(50), noon)
    await Usage.settleCall(uid, call('run', 2), used(50), noon)

    expect(await settled(uid)).toBe(100)
  })

  test('after midnight counts on the day of the reservation, again nothing', async () => {
    const uid = newUser()
    await reserve(uid, 900, { at: beforeMidnight })

    await Usage.settleCall(uid, call(), used(300), afterMidnight)
    await Usage.settleCall(uid, call(), used(300), afterMidnight)

    expect([await settled(uid, beforeMidnight), await settled(uid, afterMidnight)]).toEqual([300, 0])
    expect(await committed(uid)).toBe(300)
  })

  test('that is repeated after midnight counts nothing more', async () => {
    const uid = newUser()
    await Usage.settleCall(uid, call(), used(300), beforeMidnight)

    await Usage.settleCall(uid, call(), used(300), afterMidnight)

    expect(await settled(uid, afterMidnight)).toBe(0)
  })

  test('leaves the reservation of another run alone', async () => {
    const uid = newUser()
    await reserve(uid, 400, { of: call('a') })
    await reserve(uid, 400, { of: call('b') })

    await Usage.settleCall(uid, call('a'), used(100), noon)

    expect(await committed(uid)).toBe(500)
  })

  test('keeps the item of a busy day small', async () => {
    const uid = newUser()
    for (let turn = 0; turn < 30; turn++) {
      const at = noon + turn * 15 * 60_000
      await Usage.settleCall(uid, call(`run-${turn}`), used(50), at)
    }

    const marks = Object.keys((await item(uid)) ?? {}).filter((name) => name.startsWith('done_'))
    expect(marks).toHaveLength(9)
    expect(await settled(uid)).toBe(1_500)
  })
})

/** Counts a call with another write; false where the condition of the count does not hold. */
async function count(
  uid: number,
  of: SettledCall,
  reserved: Reserved,
  { tokens = 100, isLast = false, model = {} } = {},
) {
  const spent = { call: of, used: used(tokens, model), reserved }
  return (await Table.transact([counting(uid, spent, isLast, noon)])).done
}
const free = { date: '2026-03-01', tokens: 0 }
const marks = async (uid: number) =>
  Object.keys((await item(uid)) ?? {}).filter((name) => /^(done|open)_/.test(name))

describe('what is counted with the reply', () => {
  test('takes the place of what was reserved', async () => {
    const uid = newUser()
    const reserved = (await held(uid, 600)) as Reserved

    expect(await count(uid, call(), reserved)).toBe(true)
    expect([await settled(uid), await committed(uid), await marks(uid)]).toEqual([100, 100, ['done_run']])
  })

  test('leaves no mark behind a turn that has ended', async () => {
    const uid = newUser()
    await count(uid, call('run', 1), (await held(uid, 600)) as Reserved)
    const reserved = (await held(uid, 600, { of: call('run', 2) })) as Reserved

    expect(await count(uid, call('run', 2), reserved, { isLast: true })).toBe(true)
    expect([await settled(uid), await marks(uid)]).toEqual([200, []])
  })

  test('of several consumers is counted for one, with a limit and without', async () => {
    const [limited, unlimited] = [newUser(), newUser()]
    const reserved = (await held(limited, 600)) as Reserved

    const outcomes = await Promise.all(
      [1, 2, 3].flatMap(() => [count(limited, call(), reserved), count(unlimited, call('run', 2), free)]),
    )

    expect(outcomes.filter((isDone) => isDone)).toHaveLength(2)
    expect([await settled(limited), await settled(unlimited)]).toEqual([100, 100])
  })

  test.each([
    [
      'a reservation that is gone',
      async (uid: number) => {
        await reserve(uid, 600)
        await Usage.release(uid, 'run', noon)
      },
      { ...free, tokens: 600 },
    ],
    ['one that was made while there was a limit', (uid: number) => reserve(uid, 600), free],
    [
      'a turn that is counted already',
      async (uid: number) => {
        await Table.transact([
          Usage.failure(uid, { runId: 'run', begunAt: noon, model: 'm', isCounted: false }, noon),
        ])
      },
      free,
    ],
  ])('leaves to settle %s', async (_, arrange, reserved) => {
    const uid = newUser()
    await arrange(uid)

    expect(await count(uid, call(), reserved)).toBe(false)
    await Usage.settleCall(uid, call(), used(100), noon)

    expect([await settled(uid), await committed(uid)]).toEqual([100, 100])
  })
})

test('a call whose reply was not stored adds what it used, to no turn', async () => {
  const uid = newUser()
  await count(uid, call(), free)

  await Usage.add(uid, used(50), noon)

  const [day] = await days(uid, ['2026-03-01'])
  expect([day?.settled, day?.committed]).toEqual([150, 150])
  expect(day?.sums.get('a.model-5:0')).toMatchObject({ turns: 1, calls: 2, input: 130, output: 20 })
})

describe('release', () => {
  test('gives back what the run has open, once', async () => {
    const uid = newUser()
    await reserve(uid, 600, { of: call('a') })
    await reserve(uid, 300, { of: call('b') })

    await Promise.all([1, 2, 3].map(() => Usage.release(uid, 'a', noon)))

    expect([await committed(uid), await settled(uid)]).toEqual([300, 0])
    expect(await reserve(uid, 700, { of: call('c') })).toBe(true)
  })

  test('reaches the day before', async () => {
    const uid = newUser()
    await reserve(uid, 600, { at: beforeMidnight })

    await Usage.release(uid, 'run', afterMidnight)

    expect(await committed(uid)).toBe(0)
  })

  test('lets a failed call be reserved and counted when it is tried again', async () => {
    const uid = newUser()
    await reserve(uid, 600)
    await Usage.release(uid, 'run', noon)

    expect(await reserve(uid, 800)).toBe(true)
    await Usage.settleCall(uid, call(), used(200), noon)

    expect([await committed(uid), await settled(uid)]).toEqual([200, 200])
  })

  test('of a run that holds nothing writes nothing', async () => {
    const uid = newUser()

    await Usage.release(uid, 'run', noon)

    expect(await item(uid)).toBeUndefined()
  })

  test('removes the marks that turns have left hours ago', async () => {
    const uid = newUser()
    await count(uid, call('a'), free)
    await Usage.release(uid, 'b', noon + 2 * 3_600_000 + 1)

    expect(await marks(uid)).toEqual([])
  })
})

describe('the sums of a day', () => {
  const sumsOf = async (uid: number) =>
    Object.fromEntries((await days(uid, ['2026-03-01'])).flatMap(({ sums }) => [...sums]))
  const fail = (uid: number, of: { isCounted: boolean; model?: string }) =>
    Table.transact([Usage.failure(uid, { runId: 'run', begunAt: noon, model: 'a.model-5:0', ...of }, noon)])

  test('are by model; a turn counts for the model of its first call, an unknown cost adds nothing', async () => {
    const uid = newUser()

    await Usage.settleCall(uid, call('run', 1), used(100), noon)
    await count(uid, call('run', 2), free, { tokens: 50 })
    await count(uid, call('run', 3), free, { tokens: 20, model: { model: 'other/ä', microDollars: null } })

    expect(await sumsOf(uid)).toEqual({
      'a.model-5:0': {
        turns: 1,
        failed: 0,
        calls: 2,
        input: 130,
        output: 20,
        cacheRead: 10,
        cacheWrite: 0,
        microDollars: 14,
      },
      'other/ä': { ...nothing, calls: 1, input: 10, output: 10, cacheRead: 5 },
    })
  })

  test('count a turn once that goes on after a pause of hours, while others were counted', async () => {
    const uid = newUser()
    const later = noon + 3 * 3_600_000
    await Usage.settleCall(uid, call('run', 1), used(100), noon)
    await Usage.settleCall(uid, call('other', 1), used(10), later)

    await Usage.settleCall(uid, call('run', 2), used(50), later)

    expect(await sumsOf(uid)).toMatchObject({ 'a.model-5:0': { turns: 2, calls: 3 } })
  })

  test('count a round once that is settled by several consumers at once', async () => {
    const uid = newUser()
    await reserve(uid, 900)

    await Promise.all(Array.from({ length: 10 }, () => Usage.settleCall(uid, call(), used(300), noon)))

    expect(await sumsOf(uid)).toMatchObject({ 'a.model-5:0': { turns: 1, calls: 1, input: 290 } })
  })

  test('count a failure, and its turn where none of its calls was counted', async () => {
    const uid = newUser()

    await fail(uid, await Usage.release(uid, 'run', noon))
    await fail(uid, await Usage.release(uid, 'run', noon))
    await Usage.settleCall(uid, call(), used(100), noon)

    expect(await sumsOf(uid)).toMatchObject({ 'a.model-5:0': { turns: 1, failed: 2, calls: 1 } })
  })

  test('leave out what is damaged, and begin it from nothing', async () => {
    const uid = newUser()
    await Usage.settleCall(uid, call('run', 1), used(100), noon)
    const place = { pk: `user#${uid}`, sk: 'usage#2026-03-01' }
    await Table.put({ ...(await Table.get(place)), ...place, sum_calls_a_2emodel_2d5_3a0: 'many' })

    expect(await sumsOf(uid)).toMatchObject({ 'a.model-5:0': { calls: 0, input: 90 } })
    await Usage.settleCall(uid, call('run', 2), used(100), noon)

    expect(await sumsOf(uid)).toMatchObject({ 'a.model-5:0': { calls: 1, input: 180 } })
  })
})

test('the item expires 90 days after its day', async () => {
  const uid = newUser()
  await reserve(uid, 600)

  expect((await item(uid))?.expires_at).toBe(Date.parse('2026-05-31T00:00:00Z') / 1000)
})
