import { buffer } from 'node:stream/consumers'
import type { SandboxedFormat } from '../file/format.ts'
import type { Job } from './sandbox.ts'
import { type Extraction, type Limits, without } from './schema.ts'

/**
 * The other end of the sandbox: takes a job from its arguments and a file from its input, answers once, and is killed.
 * The libraries are loaded for their own kind of file alone.
 */
const job = JSON.parse(process.argv[2] ?? '') as Job
const bytes = new Uint8Array(await buffer(process.stdin))
process.send?.(job.kind === 'image' ? await image(bytes, job.limits) : await document(bytes, job))

async function image(bytes: Uint8Array, limits: { edge: number; bytes: number }): Promise<unknown> {
  const { shrink } = await import('./image.ts')
  return (await shrink(bytes, limits)) ?? null
}

async function document(
  bytes: Uint8Array,
  { format, limits }: Job & { kind: 'document' },
): Promise<Extraction> {
  try {
    return await read(bytes, format, limits)
  } catch {
    // The libraries' many ways to say that a file is not what they expect.
    return without('damaged')
  }
}

async function read(bytes: Uint8Array, format: SandboxedFormat, limits: Limits): Promise<Extraction> {
  if (format === 'pdf') return (await import('./pdf.ts')).readPdf(bytes, limits)
  const { preflight } = await import('./preflight.ts')
  const state = await preflight(bytes, format)
  if (state) return without(state)
  if (format === 'docx') return (await import('./docx.ts')).readDocx(bytes, limits)
  return (await import('./xlsx.ts')).readXlsx(bytes, limits)
}
