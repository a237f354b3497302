import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

/** Runs one test of a file of several, so that the others are skipped; answers the exit code and the last line. */
async function runOneOfSeveral(...args: string[]) {
  const given = ['scripts/test.ts', '-t', 'a torn text', ...args, 'test/core/base/json.test.ts']
  const { code = 0, stdout } = await promisify(execFile)(process.execPath, given).then(
    (ended) => ({ code: 0, ...ended }),
    (error: { code: number; stdout: string }) => error,
  )
  return { code, last: stdout.trim().split('\n').at(-1) }
}

const last = expect.stringMatching(/^1 passed, 0 failed, [1-9]\d* skipped$/)

test('a test that did not run is counted as skipped', async () => {
  expect(await runOneOfSeveral()).toEqual({ code: 0, last })
})

test('a test that did not run fails a run that has to be complete, as in CI', async () => {
  expect(await runOneOfSeveral('--complete')).toEqual({ code: 1, last })
})
