import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import sharp from 'sharp'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { limits } from '../../../../core/file/document/excerpt.ts'
import * as Process from '../../../../core/file/document/process.ts'
import { sparePid } from '../../../../core/file/document/process.ts'
import * as Sandbox from '../../../../core/file/document/sandbox.ts'
import { standStill } from '../../../support/clock.ts'
import { noise, pdf } from '../../../support/documents.ts'
import * as Hostile from '../../../support/hostile.ts'

test('where no file came, no process waits for one', () => {
  expect(sparePid()).toBeUndefined()
})

const readPdf: Sandbox.Job = { kind: 'document', format: 'pdf', limits }

test('what takes too long is ended', async () => {
  const outcome = await Sandbox.run(readPdf, await pdf(['Text']), { wallClockMs: 1 })

  expect(outcome).toEqual({ ended: 'tooSlow' })
})

test('an answer that came while this process stood still is not too slow', async () => {
  const reading = Sandbox.run(readPdf, await pdf(['Text']), { wallClockMs: 15_000 })
  await new Promise(setImmediate)
  standStill(16_000)

  expect(await reading).toMatchObject({ ended: 'answered' })
})

test('what takes too much memory is ended', async () => {
  const outcome = await Sandbox.run(readPdf, Hostile.pdfManyOperators(), { memoryBytes: 60 * 1024 ** 2 })

  expect(outcome).toEqual({ ended: 'tooLarge' })
})

test('a cancelled turn ends what it waits for, running or queued', async () => {
  const turn = new AbortController()
  const hang = Hostile.pdfManyOperators()
  const runs = Array.from({ length: 4 }, () => Sandbox.run(readPdf, hang, { signal: turn.signal }))

  turn.abort('cancelled')

  expect(await Promise.allSettled(runs)).toEqual(
    runs.map(() => ({ status: 'rejected', reason: 'cancelled' })),
  )
})

test('a job that breaks the child is reported as broken', async () => {
  const job = { kind: 'image', limits: { edge: 100, bytes: 100 } } as const

  expect(await Sandbox.run(job, Buffer.from('no image'))).toEqual({ ended: 'broken' })
})

test('an image is made to fit', async () => {
  const picture = await noise('png', 900, 600)
  const job = { kind: 'image', limits: { edge: 300, bytes: 20_000 } } as const

  const outcome = await Sandbox.run(job, picture)

  expect(outcome).toMatchObject({ ended: 'answered', answer: { mimeType: 'image/jpeg' } })
})

test('an image that unpacks to more than the memory is ended', async () => {
  const picture = await sharp(await noise('png', 3_000, 3_000))
    .png({ progressive: true })
    .toBuffer()
  const job = { kind: 'image', limits: { edge: 300, bytes: 20_000 } } as const

  expect(await Sandbox.run(job, picture, { memoryBytes: 70 * 1024 ** 2 })).toEqual({ ended: 'tooLarge' })
})

test('a user with many documents does not keep another user waiting', async () => {
  const turn = new AbortController()
  const slow = Hostile.pdfManyOperators()
  const many = Array.from({ length: 6 }, () => Sandbox.run(readPdf, slow, { user: 1, signal: turn.signal }))

  const other = await Sandbox.run(readPdf, await pdf(['Text']), { user: 2 })
  const first = await Promise.race([...many, 'running'])
  turn.abort('enough')
  await Promise.allSettled(many)

  expect(other).toMatchObject({ ended: 'answered', answer: { state: 'whole' } })
  expect(first).toBe('running')
})

/** Code that has taken over a parser, and how its attempts ended. */
async function attempts(kind: 'document' | 'image', tries: Record<string, string>) {
  const body = Object.entries(tries).map(
    ([name, code]) => `try { ${code}; ended[${JSON.stringify(name)}] = 'done' } catch (error) {
      ended[${JSON.stringify(name)}] = error.code }`,
  )
  const code = `const fs = require('node:fs'), ended = {}; ${body.join('\n')}; console.log(JSON.stringify(ended))`
  const options = { env: {} }
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [...Process.flags(kind), '-e', code],
    options,
  )
  return JSON.parse(stdout)
}

test.each(['document', 'image'] as const)(
  'code in the sandbox of a %s reads no secret, writes nothing and starts nothing',
  async (kind) => {
    const file = JSON.stringify(resolve('package-lock.json'))

    const ended = await attempts(kind, {
      'the environment of its parent': "fs.readFileSync('/proc/' + process.ppid + '/environ')",
      'its own memory map': "fs.readFileSync('/proc/self/maps')",
      'a file of the stage': `fs.readFileSync(${file})`,
      'a file of the system': "fs.readFileSync('/etc/passwd')",
      'a list of files': "fs.readdirSync('/')",
      'a new file': "fs.writeFileSync('/tmp/left', '')",
      'another process': "require('node:child_process').execFileSync('true')",
      'a worker': "new (require('node:worker_threads').Worker)('1', { eval: true })",
    })

    expect(Object.values(ended)).toEqual(Object.values(ended).map(() => 'ERR_ACCESS_DENIED'))
    expect(Object.keys(ended)).toHaveLength(8)
  },
)

describe('the process that waits for the next file', () => {
  const read = async () => Sandbox.run(readPdf, await pdf(['Text']))
  const answered = { ended: 'answered', answer: expect.objectContaining({ state: 'whole' }) }

  test('serves one file, and another one takes its place', async () => {
    await read()
    const first = sparePid()

    expect(await read()).toMatchObject(answered)

    expect(isThere(first)).toBe(false)
    expect(sparePid()).toEqual(expect.any(Number))
    expect(sparePid()).not.toBe(first)
  })

  test.each(['SIGKILL', 'SIGSTOP'] as const)(
    'is replaced where it does not begin, after %s',
    async (signal) => {
      await read()
      process.kill(sparePid() ?? 0, signal)

      expect(await read()).toMatchObject(answered)
    },
  )

  test('reads a file whole, also where its parent was busy too long to hear that it began', async () => {
    await read()
    // The pipe takes a part of the file at once; the child waits for the rest until this process goes on.
    const large = await pdf(['Text'], { info: { Keywords: 'word '.repeat(1_000_000) } })
    const reading = Sandbox.run(readPdf, large)
    await new Promise(setImmediate)
    standStill(4_000)

    expect(await reading).toMatchObject(answered)
  })

  test('never waits beside a job', async () => {
    await read()
    const turn = new AbortController()
    const slow = Sandbox.run(readPdf, Hostile.pdfManyOperators(), { signal: turn.signal })
    await read()

    expect(sparePid()).toBeUndefined()
    turn.abort('enough')
    await expect(slow).rejects.toBe('enough')
    expect(sparePid()).toEqual(expect.any(Number))
  })

  test('ends with its parent, and keeps it from no end', async () => {
    const code = `
      const { prepareSpare, sparePid } = await import('./core/file/document/process.ts')
      prepareSpare('pdf')
      console.log(sparePid())`
    const run = promisify(execFile)
    const { stdout } = await run(process.execPath, ['--no-warnings', '--input-type=module', '-e', code])

    await vi.waitFor(() => expect(isThere(Number(stdout))).toBe(false), { timeout: 60_000 })
  })
})

describe('where the system starts no process', () => {
  const program = process.execPath
  const image = { kind: 'image', limits: { edge: 100, bytes: 20_000 } } as const
  // The spare process is then none for images.
  beforeEach(async () => {
    await Sandbox.run(readPdf, await pdf(['Text']))
  })
  afterEach(() => {
    process.execPath = program
  })

  test.each([
    ['says so later', '/nowhere/node'],
    ['says so at once', 'x'.repeat(3_000_000)],
  ])('a job fails, and the next one is tried anew, if it %s', async (_, path) => {
    const bytes = await noise('png', 10, 10)
    process.execPath = path

    await expect(Sandbox.run(image, bytes)).rejects.toThrow()

    process.execPath = program
    expect(await Sandbox.run(image, bytes)).toMatchObject({ ended: 'answered' })
  })

  test.each(['/nowhere/node', 'x'.repeat(3_000_000)])(
    'a file that is read already has its answer, without a spare process (%#)',
    async (path) => {
      const running = Sandbox.run(image, await noise('png', 10, 10))
      await new Promise(setImmediate)
      process.execPath = path

      expect(await running).toMatchObject({ ended: 'answered' })
      expect(sparePid()).toBeUndefined()
    },
  )

  test('no timer stays where no descriptor is free', async () => {
    const code = `
      const fs = await import('node:fs')
      const { run } = await import('./core/file/document/sandbox.ts')
      const held = []
      try { for (;;) held.push(fs.openSync('/dev/null')) } catch {}
      const job = { kind: 'image', limits: { edge: 100, bytes: 100 } }
      const failed = await run(job, Buffer.from('')).catch((error) => error.message)
      await new Promise(setImmediate)
      held.forEach((one) => fs.closeSync(one))
      console.log(failed, process.getActiveResourcesInfo().filter((name) => name === 'Timeout'))
      process.exit()`
    const command = 'ulimit -n 60; exec "$0" --no-warnings --input-type=module -e "$1"'
    const { stdout } = await promisify(execFile)('sh', ['-c', command, program, code])

    expect(stdout).toBe('No process of the sandbox could be started []\n')
  })
})

function isThere(pid: number | undefined): boolean {
  try {
    return process.kill(pid ?? 0, 0)
  } catch {
    return false
  }
}
