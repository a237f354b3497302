import { execFile } from 'node:child_process'
import { resolve } from 'node:path'
import { promisify } from 'node:util'
import sharp from 'sharp'
import { expect, test } from 'vitest'
import * as Sandbox from '../../../core/document/sandbox.ts'
import { limits } from '../../../core/document/schema.ts'
import { noise, pdf } from '../../support/documents.ts'
import * as Hostile from '../../support/hostile.ts'

const readPdf: Sandbox.Job = { kind: 'document', format: 'pdf', limits }

test('what takes too long is ended', async () => {
  const outcome = await Sandbox.run(readPdf, await pdf(['Text']), { wallClockMs: 1 })

  expect(outcome).toEqual({ ended: 'tooSlow' })
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
async function attempts(kind: Sandbox.Job['kind'], tries: Record<string, string>) {
  const body = Object.entries(tries).map(
    ([name, code]) => `try { ${code}; ended[${JSON.stringify(name)}] = 'done' } catch (error) {
      ended[${JSON.stringify(name)}] = error.code }`,
  )
  const code = `const fs = require('node:fs'), ended = {}; ${body.join('\n')}; console.log(JSON.stringify(ended))`
  const options = { env: {} }
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [...Sandbox.flags(kind), '-e', code],
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
