import { expect, test } from 'vitest'
import type { Job } from '../../../core/conversation/queue.ts'
import type { Progress } from '../../../core/conversation/schema.ts'
import { consume, jobOf } from '../../../core/turn/consume.ts'
import { bench, benched, editor } from '../../support/benched.ts'

benched()

/** A turn that checks the site of a CMS where each list takes so long, and what polls say of its progress meanwhile. */
async function checking(msPerList: number): Promise<{ id: string; polled: (Progress | null)[] }> {
  bench.api.reply({ calls: [{ name: 'check_site', arguments: {} }] })
  bench.api.reply({ text: 'All is well.' })
  const { conversation } = await editor.send('Check the site')
  const { id } = conversation
  const polled: (Progress | null)[] = []
  const { cms } = bench.live
  const list: typeof cms.list = async (actor, query) => {
    await bench.clock.pass(msPerList)
    polled.push((await editor.poll(id)).progress)
    return cms.list(actor, { ...query, limit: Math.min(query.limit, 30) })
  }
  const job = (await jobOf(id)) as Job
  await consume({ ...bench.live, cms: { ...cms, list } }, job, {
    remainingMs: () => Number.POSITIVE_INFINITY,
  })
  return { id, polled }
}

test('a call that reads much says how far it is, at most once a second, until it has its result', async () => {
  const { id, polled } = await checking(500)

  const call = (await editor.poll(id)).messages[1]?.toolCalls?.[0]?.id
  const told = polled.flatMap((progress) => progress ?? [])
  expect(new Set(told.map((progress) => progress.call))).toEqual(new Set([call]))
  const read = told.map(({ n }) => n)
  expect(read.slice(0, 4)).toEqual([read[0], read[0], read[2], read[2]])
  expect(read[2]).toBeGreaterThan(read[0] as number)
  expect(told.every(({ n, total }) => n < total)).toBe(true)
  expect((await editor.poll(id)).progress).toBeNull()
  expect((await editor.poll(id)).activity.map(({ kind }) => kind)).toEqual(['llm', 'tool', 'llm'])
})

test('a call that is done within a second stores nothing of it', async () => {
  const { id, polled } = await checking(1)

  expect(new Set(polled)).toEqual(new Set([null]))
  expect((await editor.poll(id)).messages.at(-1)?.content).toBe('All is well.')
})
