import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { lock } from '../../../infra/local/lock.ts'

let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lock-'))
})

afterEach(() => rm(folder, { recursive: true }))

test('a folder has one owner until it is released', () => {
  const first = lock(folder)

  expect(lock(folder)).toBeUndefined()
  first?.release()
  const second = lock(folder)
  expect(second).toBeDefined()
  second?.release()
})

test('the lock of a process that was killed is gone with it', async () => {
  const address = JSON.stringify(new URL('../../../infra/local/lock.ts', import.meta.url).href)
  const program = `import { lock } from ${address}
    console.log(lock(process.argv[1]) ? 'locked' : 'refused'); setInterval(() => {}, 1e6)`
  const child = spawn(process.execPath, ['--no-warnings', '--input-type=module', '-e', program, folder])
  const [line] = await once(child.stdout, 'data')
  expect(String(line)).toBe('locked\n')
  expect(lock(folder)).toBeUndefined()

  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended

  const mine = lock(folder)
  expect(mine).toBeDefined()
  mine?.release()
})
