import { expect, test } from 'vitest'
import type { OwnUsageAnswer } from '../../../core/stage/usage/schema.ts'
import { add } from '../../../core/stage/usage/usage.ts'
import { bench, benched, editor } from '../../support/benched.ts'
import { startedAt, type User } from '../../support/live.ts'

/** What a user sees of their own usage, and of no other's. */

benched({})

const dayMs = 86_400_000
const dayOf = (time: number) => new Date(time).toISOString().slice(0, 10)
const days = { from: dayOf(startedAt - 29 * dayMs), to: dayOf(startedAt) }
const call = { model: 'small', input: 1_000, output: 200, cacheRead: 0, cacheWrite: 0, microDollars: 4_000 }

const usageOf = async (who: User) => (await who.get<OwnUsageAnswer>('/usage', days)).body.usage
const fileOf = async (who: User) => (await who.get<string>('/usage/export', days)).body

test('a user gets the own days alone, with cost where the settings show it', async () => {
  const admin = await bench.login('admin')
  await bench.configure({ showUsage: 'cost', dailyTokensPerUser: 5_000 })
  await add(2, call, startedAt - 2 * dayMs)
  await add(2, call, startedAt)
  await add(2, call, startedAt - 31 * dayMs)
  await add(1, { ...call, model: 'large' }, startedAt)

  const usage = await usageOf(editor)
  expect(usage).toMatchObject({
    ...days,
    since: days.from,
    total: { calls: 2, input: 2_000, output: 400, dollars: 0.008 },
    budget: { stage: null, user: 5_000 },
    byModel: [{ key: 'small' }],
  })
  expect(usage?.byDay.map(({ key }) => key)).toEqual([dayOf(startedAt - 2 * dayMs), days.to])
  expect(usage).not.toHaveProperty('byUser')
  expect((await usageOf(admin))?.byModel.map(({ key }) => key)).toEqual(['large'])
  expect((await fileOf(editor)).split('\r\n').slice(1)).toEqual([
    `${dayOf(startedAt - 2 * dayMs)},2,editor,,small,0,0,1,1000,200,0,0,0.0040`,
    `${days.to},2,editor,,small,0,0,1,1000,200,0,0,0.0040`,
    '',
  ])
})

test('tokens without cost, or nothing, where the settings say so', async () => {
  await bench.configure({ showUsage: 'tokens' })
  expect((await usageOf(editor))?.total).toMatchObject({ input: 2_000, dollars: null })
  expect(await fileOf(editor)).toMatch(/,1000,200,0,0,\r\n/)

  await bench.configure({ showUsage: 'nothing' })
  expect(await usageOf(editor)).toBeNull()
  expect((await fileOf(editor)).split('\r\n').slice(1)).toEqual([''])
})

test('a user without any use gets zeros and no day', async () => {
  await bench.configure({})
  const usage = await usageOf(await bench.login('autorin'))
  expect([usage?.total.turns, usage?.byDay]).toEqual([0, []])
})
