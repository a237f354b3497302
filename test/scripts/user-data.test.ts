import { spawn } from 'node:child_process'
import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { records } from '../../core/chat/user-data/work-record.ts'
import { benched } from '../support/benched.ts'

/** The command in a process of its own, on the tables of this file. */

benched()
let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'user-data-'))
})
afterEach(() => rm(folder, { recursive: true }))

async function run(...given: string[]) {
  const line = ['--no-warnings', 'scripts/user-data.ts', ...given]
  const child = spawn(process.execPath, line, { stdio: ['ignore', 'pipe', 'pipe'] })
  const [code, stderr] = await Promise.all([
    new Promise((done) => child.on('close', done)),
    text(child.stderr),
    text(child.stdout),
  ])
  return { code, stderr }
}

test('an export goes into an empty folder, or on with an interrupted one of the same user', async () => {
  const into = (uid: number) => run('export', '--user', String(uid), '--out', folder)
  const refused = { code: 2, stderr: expect.stringContaining(`${folder} is not empty`) }
  const begin = (uid: number) => writeFile(join(folder, 'export.json'), JSON.stringify({ uid }))

  await begin(3)
  expect(await into(2)).toEqual(refused)
  await begin(2)
  expect(await into(2)).toMatchObject({ code: 0 })
  const files = await readdir(folder)

  expect(await into(3)).toEqual(refused)
  expect(await into(2)).toEqual(refused)
  expect(await readdir(folder)).toEqual(files)
})

test.each(['export', 'erase'])('a mistyped user leaves no record of an %s', async (act) => {
  const { code, stderr } = await run(act, '--user', '99', '--out', folder)

  expect(stderr).toContain('Nothing is stored of a user 99, and the CMS has none.')
  expect(code).toBe(2)
  expect([await records(99), await readdir(folder)]).toEqual([[], []])
})
