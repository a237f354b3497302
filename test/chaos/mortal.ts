/**
 * A consumer in a process of its own, which kills itself at one of its effects: with SIGKILL, so that nothing of it is
 * left that could tidy up. Started by kill.test.ts with its life in the first argument.
 */

import type { Clock } from '../../core/base/clock.ts'
import { config } from '../../core/base/config.ts'
import { reference } from '../../core/cms/reference/reference.ts'
import { consume } from '../../core/turn/consume.ts'
import { changes, living, type Side, watchClients, watchedCms } from './edge.ts'
import { journeys } from './journey.ts'
import type { Life } from './life.ts'
import { provider } from './provider.ts'

const life: Life = JSON.parse(process.argv[2] ?? '{}')
// Nothing that waits goes on, but a wait can be broken off: a turn that ends waits for the end of its own watch.
const clock: Clock = {
  now: () => life.now,
  sleep: (_, signal) =>
    new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason))),
}
const replies = journeys.find(({ name }) => name === life.journey)?.says(life.tag) ?? {}
const model = provider(clock, (text) => replies[text] ?? [])
const cms = watchedCms(reference({ table: config().cmsTable ?? '', clock: clock.now }))
let seen = 0

watchClients()
const fate = (effect: string): Side | undefined =>
  changes(effect) && seen++ === life.at ? life.side : undefined
const ended = await living(fate, () =>
  consume({ clock, cms, model: async () => model }, life.job, {
    remainingMs: () => Number.POSITIVE_INFINITY,
  }),
)
if (ended.died) process.kill(process.pid, 'SIGKILL')
process.exit(0)
