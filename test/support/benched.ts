import { afterAll, beforeAll, beforeEach } from 'vitest'
import type { Settings } from '../../core/stage/settings/schema.ts'
import { type Bench, startBench, type User } from './live.ts'

/** The bench of the test file, from `benched()` on. */
export let bench: Bench
/** An editor who has logged in for this test. */
export let editor: User

/** Gives all tests of the file one bench; before each the queue is empty and the model has nothing to say yet. */
export function benched(settings: Partial<Settings> = {}): void {
  beforeAll(async () => {
    bench = await startBench(settings)
  })
  beforeEach(async () => {
    await bench.settle()
    bench.api.reset()
    await logInAgain()
  })
  afterAll(() => bench.stop())
}

/** Gives the editor a new session, as after a time in which the last one has ended. */
export async function logInAgain(): Promise<void> {
  editor = await bench.login('editor')
}
