import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { changes, type Side } from './edge.ts'
import { type Journey, journeys } from './journey.ts'
import { play, type Stage, startStage } from './scene.ts'
import { remains, transcript, violations } from './verdict.ts'

/**
 * Every effect of a recorded journey is once the last one of its process, in three ways. A process that dies before an
 * effect leaves the same state as one that died after the effect before it, so `before` is only tried for its first one.
 */
let bench: Stage
beforeAll(async () => {
  bench = await startStage()
})
afterAll(() => bench.stop())

describe.each(journeys.filter(({ isLong }) => !isLong))('$name', (journey) => {
  test('ends the same wherever a process dies or freezes', { timeout: 600_000 }, async () => {
    const { cuts, expected } = await record(journey)

    const broken: string[] = []
    for (const one of cuts) broken.push(...(await cut(journey, one, expected)))

    expect(broken).toEqual([])
  })
})

/** A place to cut: the effect's number in its journey. */
type Cut = { at: number; side: Side; name: string }

async function record(journey: Journey): Promise<{ cuts: Cut[]; expected: unknown[] }> {
  const effects: { name: string; isFirst: boolean }[] = []
  let start = 0
  const fate = () => {
    let isFirst = true
    return (name: string) => {
      if (changes(name)) {
        effects.push({ name, isFirst })
        isFirst = false
      }
      return undefined
    }
  }
  const begin = () => {
    start = effects.length
  }
  const scene = await play(bench, journey, { fate, begin })
  const left = await remains(bench, scene)
  expect([...(await violations(bench, left)), ...scene.refusals]).toEqual([])
  const cuts = effects.flatMap(({ name, isFirst }, at): Cut[] => {
    const sides: Side[] = isFirst ? ['before', 'after', 'frozen'] : ['after', 'frozen']
    return at < start ? [] : sides.map((side) => ({ at, side, name }))
  })
  expect(cuts.length).toBeGreaterThan(10)
  return { cuts, expected: transcript(left, scene.tag) }
}

/** What is broken after the run in which an effect was cut. */
async function cut(journey: Journey, { at, side, name }: Cut, expected: unknown[]): Promise<string[]> {
  let seen = 0
  const fate = () => (effect: string) => (changes(effect) && seen++ === at ? side : undefined)
  const scene = await play(bench, journey, { fate })
  const left = await remains(bench, scene)
  const told = transcript(left, scene.tag)
  const found = [...(await violations(bench, left)), ...scene.refusals]
  if (scene.deaths.length !== 1) found.push(`${scene.deaths.length} processes died`)
  if (JSON.stringify(told) !== JSON.stringify(expected)) found.push(`it says: ${JSON.stringify(told)}`)
  return found.map((what) => `${side} effect ${at}, ${name}: ${what}`)
}
