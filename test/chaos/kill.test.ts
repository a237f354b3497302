import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Journey, journeys } from './journey.ts'
import type { Life } from './life.ts'
import { play, type Scene, type Stage, startStage } from './scene.ts'
import { remains, transcript, violations } from './verdict.ts'

let bench: Stage
beforeAll(async () => {
  bench = await startStage()
})
afterAll(() => bench.stop())

const mortal = fileURLToPath(new URL('./mortal.ts', import.meta.url))

/** Lets a consumer live in a process of its own; false when it was killed. */
async function lived(life: Life): Promise<boolean> {
  const child = spawn(process.execPath, ['--no-warnings', mortal, JSON.stringify(life)], {
    stdio: ['ignore', 'ignore', 'inherit'],
  })
  const [code, signal] = await once(child, 'exit')
  if (code !== 0 && signal !== 'SIGKILL') throw new Error(`The consumer ended with ${code}, ${signal}`)
  return signal !== 'SIGKILL'
}

/** Plays a journey whose consumer number `turn` is a process that is killed. */
function playKilled(journey: Journey, turn: number, death: Pick<Life, 'at' | 'side'>): Promise<Scene> {
  let jobs = 0
  return play(bench, journey, {
    consume: async (job, tag) => {
      if (jobs++ !== turn) return undefined
      return lived({ job, tag, now: bench.clock.now(), journey: journey.name, ...death })
    },
  })
}

const named = (name: string) => journeys.find((journey) => journey.name === name) as Journey
const writing = named('an approval of two writes')
const looping = named('a loop of tools')

// The consumer that carries out an approval has 15 effects: its claim, then step by step to the second write's outcome.
const deaths = [0, 2, 4, 5, 6, 7, 8, 10, 11, 12, 13, 14, 16, 18].map((at) => ({ at, side: 'after' as const }))

test.each(deaths)('a consumer that carries out an approval is killed after effect $at', async (death) => {
  const calm = await play(bench, writing)
  const expected = transcript(await remains(bench, calm), calm.tag)

  const scene = await playKilled(writing, 1, death)

  expect(scene.deaths).toEqual(['killed'])
  const left = await remains(bench, scene)
  expect(await violations(bench, left)).toEqual([])
  expect(transcript(left, scene.tag)).toEqual(expected)
})

test('a consumer that comes to the end of its effects before its death lives on', async () => {
  const scene = await playKilled(looping, 0, { at: 1_000, side: 'before' })

  expect(scene.deaths).toEqual([])
  expect(await violations(bench, await remains(bench, scene))).toEqual([])
})

test.each([1, 3, 5, 7, 9])('a consumer that reads is killed before effect %i', async (at) => {
  const scene = await playKilled(looping, 0, { at, side: 'before' })

  expect(scene.deaths).toEqual(['killed'])
  expect(await violations(bench, await remains(bench, scene))).toEqual([])
})
