import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

test('what deploys the stages has the types of SST', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, ['scripts/infra-check.ts']).catch(
    ({ message, stdout }: { message: string; stdout: string }) => ({ stdout: stdout || message }),
  )

  expect(stdout).toBe('')
})
