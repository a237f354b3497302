import { expect, test } from 'vitest'
import * as Table from '../../../../core/base/aws/table.ts'
import * as Claim from '../../../../core/conversation/claim.ts'
import * as Activity from '../../../../core/conversation/transcript/activity.ts'
import { startedAt } from '../../../support/live.ts'
import { stored } from '../../../support/seeded.ts'

const step = (round: number) => ({ kind: 'llm' as const, round, ms: 1 })

async function claimed(): Promise<Claim.Hold> {
  const conversation = await stored({ ...Claim.begin(startedAt) })
  const hold = await Claim.claim(
    { conversationId: conversation.id, requestId: conversation.requestId },
    startedAt,
  )
  if (!hold) throw new Error('not claimed')
  return hold
}

const read = async ({ conversation }: Claim.Hold) =>
  Activity.decode(await Table.get(Activity.key(conversation.id)), conversation)

test('of more than a hundred steps the newest stay', async () => {
  const hold = await claimed()
  const steps = Array.from({ length: 130 }, (_, round) => step(round))

  expect(await Activity.write(hold.conversation, steps, 0)).toBe(1)

  expect(await read(hold)).toEqual({ entries: steps.slice(30), version: 1 })
})

test('the steps of an earlier turn are not those of this one; the version counts on', async () => {
  const hold = await claimed()
  await Activity.write(hold.conversation, [step(1)], 4)

  const next = { ...hold, conversation: { ...hold.conversation, activityKey: 'the next turn' } }
  expect(await read(next)).toEqual({ entries: [], version: 5 })
})

test('the progress of a call is there until the next steps are stored, and of this turn alone', async () => {
  const hold = await claimed()
  const progress = { call: 'c1', n: 300, total: 1_200 }

  await Activity.write(hold.conversation, [step(1)], 0, progress)
  expect(await read(hold)).toEqual({ entries: [step(1)], version: 1, progress })
  const next = { ...hold, conversation: { ...hold.conversation, activityKey: 'the next turn' } }
  expect(await read(next)).toEqual({ entries: [], version: 1 })

  await Claim.save(hold, {}, [Activity.change(hold.conversation, [step(1), step(2)], 2)], startedAt)
  expect(await read(hold)).toEqual({ entries: [step(1), step(2)], version: 2 })
})

test('a consumer that a later one has followed writes no step', async () => {
  const hold = await claimed()
  await Activity.write({ ...hold.conversation, claim: 2 }, [step(2)], 0)

  expect(await Activity.write(hold.conversation, [step(1)], 0)).toBeUndefined()
  expect((await read(hold)).entries).toEqual([step(2)])
})

test('steps that are stored with other things need the claim itself', async () => {
  const hold = await claimed()
  const change = [Activity.change(hold.conversation, [step(1)], 1)]

  const lost = { ...hold, conversation: { ...hold.conversation, requestId: 'lost' } }
  expect(await Claim.save(lost, {}, change, startedAt)).toBe(false)
  expect((await read(hold)).entries).toEqual([])
  expect(await Claim.save(hold, {}, change, startedAt)).toBe(true)
  expect(await read(hold)).toEqual({ entries: [step(1)], version: 1 })
})
