import { once } from 'node:events'
import { buffer } from 'node:stream/consumers'
import { about, type OfficeFormat, type SandboxedFormat } from '../format.ts'
import { type Limits, type Reader, without } from './excerpt.ts'
import type { ProcessKind } from './process.ts'
import type { Job, Said } from './sandbox.ts'
import type { Extraction } from './schema.ts'

/** The reader of each format, loaded only in the sandbox. */
const readers: Record<SandboxedFormat, () => Promise<Reader>> = {
  pdf: async () => (await import('./pdf.ts')).readPdf,
  docx: async () => (await import('./docx.ts')).readDocx,
  xlsx: async () => (await import('./xlsx.ts')).readXlsx,
  pptx: async () => (await import('./pptx.ts')).readPptx,
  odt: async () => (await import('./odt.ts')).readOdt,
  ods: async () => (await import('./ods.ts')).readOds,
  rtf: async () => (await import('./rtf.ts')).readRtf,
  eml: async () => (await import('./eml.ts')).readEml,
}

/**
 * The child process of the sandbox. It loads the libraries for the kind of file in its argument. It takes a job from
 * its parent and a file from its input, answers once, and is killed. It exits when its parent is gone.
 */
process.on('disconnect', () => process.exit())
const asked = once(process, 'message')
const say = (said: Said) => process.send?.(said)

// An import that fails here throws again when the job needs the library.
await load(process.argv[2] as ProcessKind).catch(() => undefined)
const [job] = (await asked) as [Job]
say({ begun: true })
const bytes = new Uint8Array(await buffer(process.stdin))
say({ answer: await carryOut(job, bytes) })

async function load(kind: ProcessKind): Promise<unknown> {
  if (kind === 'image') return (await import('./image.ts')).load()
  return Promise.all([isArchive(kind) && import('./preflight.ts'), readers[kind]()])
}

async function carryOut(job: Job, bytes: Uint8Array): Promise<unknown> {
  if (job.kind === 'document') return document(bytes, job)
  if (job.kind === 'image') return image(bytes, job.limits)
  if (job.kind === 'drawings')
    return (await import('./image.ts')).paint(JSON.parse(Buffer.from(bytes).toString('utf8')), job.bytes)
  await readers.pdf()
  return (await import('./drawing.ts')).drawPages(bytes, job.pages)
}

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
    // The libraries throw many different errors for a malformed file.
    return without('damaged')
  }
}

async function read(bytes: Uint8Array, format: SandboxedFormat, limits: Limits): Promise<Extraction> {
  if (isArchive(format)) {
    const { preflight } = await import('./preflight.ts')
    const state = await preflight(bytes, format)
    if (state) return without(state)
  }
  return (await readers[format]())(bytes, limits)
}

function isArchive(format: SandboxedFormat): format is OfficeFormat {
  return ['office', 'openDocument'].includes(about(format).way)
}
