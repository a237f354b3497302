import { extract } from '../../../core/file/document/extract.ts'
import { sparePid, takeSpare } from '../../../core/file/document/process.ts'
import { limits } from '../../../core/file/document/schema.ts'
import type { SandboxedFormat } from '../../../core/file/format.ts'
import { docx, pdf, xlsx } from '../../../test/support/documents.ts'
import { transcript } from '../long-transcript.ts'
import type { Row } from '../result-table.ts'
import { descendants, median, megabytesOf } from '../sample.ts'
import { section } from '../section.ts'

const runs = 5

/**
 * Extracts a document of each format in the sandbox, as a turn does, and with the bare library in this process.
 * Measures the sandbox's cost in time, with a cold and with a waiting process, and in memory.
 */
section(async () => {
  const texts = transcript(60).map(({ content }) => content)
  const rows = texts.map((text, at) => [at, ...text.split(' ').slice(0, 8)])
  const documents: [SandboxedFormat, Buffer][] = [
    ['pdf', await pdf(texts)],
    ['docx', await docx(texts)],
    ['xlsx', await xlsx({ Sheet: rows })],
  ]
  const found: Row[] = []
  for (const [format, bytes] of documents) found.push(...(await compare(format, bytes)))
  return found
})

async function compare(format: SandboxedFormat, bytes: Buffer): Promise<Row[]> {
  const ours: number[] = []
  const fresh: number[] = []
  const bare: number[] = []
  const idle: number[] = []
  let peak = 0
  for (let run = 0; run <= runs; run++) {
    const watch = setInterval(() => {
      peak = Math.max(peak, ...descendants(process.pid).map((pid) => megabytesOf(pid, 'VmHWM')))
    }, 5)
    const read = async () => {
      const { state } = await extract(bytes, format)
      if (state !== 'whole') throw new Error(`The ${format} was read as ${state}`)
    }
    if (sparePid()) takeSpare(format)?.kill('SIGKILL')
    const freshMs = await timed(read)
    // Until the process that waits has loaded its libraries.
    await new Promise((done) => setTimeout(done, 1_500))
    idle.push(megabytesOf(sparePid() ?? 0, 'VmHWM'))
    const ms = await timed(read)
    clearInterval(watch)
    const bareMs = await timed(() => bareOf(format, new Uint8Array(bytes)))
    // The first run loads the libraries into this process.
    if (run > 0) {
      ours.push(ms)
      fresh.push(freshMs)
      bare.push(bareMs)
    }
  }
  const size = `${Math.round(bytes.length / 1024)} KB`
  return [
    {
      what: `${format}, in the process that waits`,
      value: median(ours),
      unit: 'ms',
      note: `${size}; every file after the first`,
    },
    { what: `${format}, in a process that starts`, value: median(fresh), unit: 'ms', note: 'the first file' },
    {
      what: `${format}, memory of the process that waits`,
      value: Math.max(...idle),
      unit: 'MB',
      limit: { most: 150 },
    },
    { what: `${format}, the bare library in a warm process`, value: median(bare), unit: 'ms' },
    { what: `${format}, peak memory of the sandbox`, value: peak, unit: 'MB', limit: { most: 512 } },
  ]
}

async function timed(act: () => Promise<unknown>): Promise<number> {
  const startedAt = performance.now()
  await act()
  return performance.now() - startedAt
}

async function bareOf(format: SandboxedFormat, bytes: Uint8Array): Promise<unknown> {
  if (format === 'docx') return (await import('../../../core/file/document/docx.ts')).readDocx(bytes, limits)
  if (format === 'xlsx') return (await import('../../../core/file/document/xlsx.ts')).readXlsx(bytes, limits)
  return (await import('../../../core/file/document/pdf.ts')).readPdf(bytes, limits)
}
