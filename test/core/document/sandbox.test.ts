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

test('a job that breaks the child is told as broken', async () => {
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
