import { limits } from '../../../core/file/document/excerpt.ts'
import { extract } from '../../../core/file/document/extract.ts'
import { sparePid, takeSpare } from '../../../core/file/document/process.ts'
import type { SandboxedFormat } from '../../../core/file/format.ts'
import { docx, pdf, xlsx } from '../../support/documents.ts'
import { transcript } from '../long-transcript.ts'
import { figure, type Row } from '../result-table.ts'
import { descendants, median, megabytesOf, repeated } from '../sample.ts'
import { section } from '../section.ts'

const runs = 5

/**
 * Extracts a document of each format: in the sandbox, as a turn does, and with the bare library in this process.
 * Measures the time of the sandbox with a cold and with a waiting process, and its memory.
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
  let peak = 0
  const read = async () => {
    const { state } = await extract(bytes, format)
    if (state !== 'whole') throw new Error(`The ${format} was read as ${state}`)
  }
  // The first run loads the libraries into this process.
  const found = await repeated(runs, 1, async () => {
    const watch = setInterval(() => {
      peak = Math.max(peak, ...descendants(process.pid).map((pid) => megabytesOf(pid, 'VmHWM')))
    }, 5)
    if (sparePid()) takeSpare(format)?.kill('SIGKILL')
    const fresh = await timed(read)
    // Waits until the waiting process has loaded its libraries.
    await new Promise((done) => setTimeout(done, 1_500))
    const idle = megabytesOf(sparePid() ?? 0, 'VmHWM')
    const ours = await timed(read)
    clearInterval(watch)
    return { fresh, idle, ours, bare: await timed(() => bareOf(format, new Uint8Array(bytes))) }
  })
  const middle = (name: 'fresh' | 'ours' | 'bare') => median(found.map((run) => run[name]))
  const idle = Math.max(...found.map((run) => run.idle))
  const size = `${Math.round(bytes.length / 1024)} KB`
  return [
    figure(`${format}, in the process that waits`, middle('ours'), 'ms', {
      note: `${size}; every file after the first`,
    }),
    figure(`${format}, in a process that starts`, middle('fresh'), 'ms', { note: 'the first file' }),
    figure(`${format}, memory of the process that waits`, idle, 'MB', { most: 150 }),
    figure(`${format}, the bare library in a warm process`, middle('bare'), 'ms'),
    figure(`${format}, peak memory of the sandbox`, peak, 'MB', { most: 512 }),
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
