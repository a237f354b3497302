import { readFileSync } from 'node:fs'
import { extract } from '../../../core/document/extract.ts'
import { limits } from '../../../core/document/schema.ts'
import type { Format } from '../../../core/file/format.ts'
import { docx, pdf, xlsx } from '../../../test/support/documents.ts'
import type { Row } from '../report.ts'
import { descendants, median } from '../sample.ts'
import { section } from '../section.ts'
import { transcript } from '../transcript.ts'

const runs = 5

/**
 * Extraction of a document of each format in the sandbox, as a turn does it, against the bare library in this process:
 * what the process of its own costs in time, and how much memory it takes.
 */
section(async () => {
  const texts = transcript(60).map(({ content }) => content)
  const rows = texts.map((text, at) => [at, ...text.split(' ').slice(0, 8)])
  const documents: [Format, Buffer][] = [
    ['pdf', await pdf(texts)],
    ['docx', await docx(texts)],
    ['xlsx', await xlsx({ Sheet: rows })],
  ]
  const found: Row[] = []
  for (const [format, bytes] of documents) found.push(...(await compare(format, bytes)))
  return found
})

async function compare(format: Format, bytes: Buffer): Promise<Row[]> {
  const ours: number[] = []
  const bare: number[] = []
  let peak = 0
  for (let run = 0; run <= runs; run++) {
    const watch = setInterval(() => {
      peak = Math.max(peak, ...descendants(process.pid).map(residentMegabytes))
    }, 5)
    const ms = await timed(async () => {
      const { state } = await extract(bytes, format)
      if (state !== 'whole') throw new Error(`The ${format} was read as ${state}`)
    })
    clearInterval(watch)
    const bareMs = await timed(() => bareOf(format, bytes))
    // The first run loads the libraries into this process.
    if (run > 0) {
      ours.push(ms)
      bare.push(bareMs)
    }
  }
  const size = `${Math.round(bytes.length / 1024)} KB`
  return [
    {
      what: `${format}, in the sandbox`,
      value: median(ours),
      unit: 'ms',
      note: `${size}; the process of its own starts each time`,
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

async function bareOf(format: Format, bytes: Buffer): Promise<unknown> {
  if (format === 'docx') return (await import('../../../core/document/docx.ts')).readDocx(bytes, limits)
  if (format === 'xlsx') return (await import('../../../core/document/xlsx.ts')).readXlsx(bytes, limits)
  return (await import('../../../core/document/pdf.ts')).readPdf(bytes, limits)
}

function residentMegabytes(pid: number): number {
  try {
    return Number(/^VmHWM:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) / 1024
  } catch {
    return 0
  }
}
