import { afterAll, beforeAll, expect, test } from 'vitest'
import { canary } from '../../../scripts/doctor/visit.ts'
import { type Bench, startBench } from '../../support/live.ts'

let bench: Bench

beforeAll(async () => {
  bench = await startBench()
})
afterAll(() => bench.stop())

test('a canary turn that no consumer takes is reported, and leaves neither a conversation nor a taken place', async () => {
  const admin = await bench.login('admin')
  const proving = canary(bench.live, 1)
  let told: unknown
  proving.catch((error: unknown) => {
    told = error
  })

  await expect
    .poll(async () => {
      await bench.clock.pass(30_000)
      return told
    })
    .toEqual(new Error('processing for 120 s: no consumer has ended it'))

  const { body } = await admin.get('/conversations')
  expect(body).toMatchObject({ conversations: [] })
  expect((await admin.get('/status')).body).toMatchObject({ activeConversations: 0 })
})
