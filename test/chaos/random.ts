import { setTimeout as pause } from 'node:timers/promises'
import type { Fate, Side } from './edge.ts'
import { type Journey, journeys } from './journey.ts'
import { play, type Scene, type Stage, type Weather } from './scene.ts'
import { remains, violations } from './verdict.ts'

/** A run under random weather, and what it broke. */
export type Run = { journey: string; deaths: string[]; broken: string[] }

/** Numbers from 0 up to 1 that a seed decides (Mulberry32, https://gist.github.com/tommyettinger/46a874533244883189143505d203312c). */
export function random(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
}

/**
 * One journey under weather that the seed decides: processes die or freeze at any effect, messages are delivered twice,
 * cleanups meet, time jumps, the user renames, pins and looks. A turn may fail after many deaths; then it is retried in
 * calm weather, and must go on.
 */
export async function runOnce(bench: Stage, seed: number): Promise<Run> {
  const dice = random(seed)
  const journey = journeys[Math.floor(dice() * journeys.length)] as Journey
  const run: Run = { journey: journey.name, deaths: [], broken: [] }
  try {
    const scene = await play(bench, journey, storm(dice))
    run.deaths.push(...scene.deaths)
    run.broken.push(...(await violations(bench, await remains(bench, scene), true)))
    run.broken.push(...(await goesOn(bench, scene)))
  } catch (error) {
    run.broken.push(String((error as Error).stack))
  }
  return run
}

const sides: Side[] = ['before', 'after', 'frozen']
/** A run ends at some time: so many processes die in it at most. */
const maxDeaths = 5

function storm(dice: () => number): Partial<Weather> {
  let deaths = 0
  const fate = (): Fate => {
    let left = dice() < 0.4 ? Math.floor(dice() * 40) : Number.POSITIVE_INFINITY
    return () => {
      left -= 1
      if (left !== 0 || deaths >= maxDeaths) return undefined
      deaths += 1
      return sides[Math.floor(dice() * sides.length)]
    }
  }
  return {
    fate,
    // Before a lease is over, after it, and rarely so late that the turn counts as stuck.
    lullMs: () => (dice() < 0.1 ? 330_000 : 30_000 + Math.floor(dice() * 120_000)),
    cleanups: () => (dice() < 0.3 ? 2 : 1),
    deliveries: () => (dice() < 0.2 ? 2 : 1),
    meanwhile: async (bench, user, conversationId) => {
      if (dice() < 0.5) return
      await pause(dice() * 30)
      const title = `Renamed ${dice()}`
      const acts = [
        () => user.does('rename', conversationId, { title }),
        () => user.does('pin', conversationId, { pinned: dice() < 0.5 }),
        () => user.does('system-prompt', conversationId, { systemPrompt: title }),
        () => user.poll(conversationId),
        () => bench.clock.pass(Math.floor(dice() * 100_000)),
      ]
      await acts[Math.floor(dice() * acts.length)]?.()
    },
  }
}

/** A failed turn can be retried, and one that waits can be superseded: nothing stays where it is for ever. */
async function goesOn(bench: Stage, scene: Scene): Promise<string[]> {
  const conversation = await bench.row(scene.conversationId)
  if (conversation.status === 'idle') return []
  const next: Journey = {
    ...scene.journey,
    isCancelled: false,
    go: async ({ retry, send, settle }) => {
      if (conversation.status === 'failed') await retry()
      await settle()
      await send('Hello')
      await settle()
    },
  }
  const after = await play(bench, next, {}, scene)
  const left = await remains(bench, after)
  const broken = await violations(bench, left, true)
  if (left.conversation.status !== 'idle') broken.push(`it ended as ${left.conversation.status}`)
  return broken.map((what) => `after ${conversation.status}: ${what}`)
}
