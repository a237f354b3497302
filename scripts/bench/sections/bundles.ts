import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FunctionName } from '../../../functions/http/routes.ts'
import { bundleBoth, type Cold, functionNames, prepareCold, startFunction } from '../cold.ts'
import type { Row } from '../result-table.ts'
import { section } from '../section.ts'

const runs = 9

/** Size of each web function, and its first answer in a new process against a floor with the SDK clients alone. */
section(async () => {
  const folder = await mkdtemp(join(tmpdir(), 'cold-'))
  try {
    const events = await prepareCold(folder)
    const subjects: Subject[] = []
    for (const name of functionNames) {
      const { own, floor } = await bundleBoth(folder, name, events[name])
      subjects.push({ name, startBytes: own.startBytes, floorBytes: floor.startBytes })
    }
    return await measureBundles(folder, subjects)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

type Subject = { name: FunctionName; startBytes: number; floorBytes: number }

async function measureBundles(folder: string, subjects: Subject[]): Promise<Row[]> {
  const found = new Map<string, Cold[]>()
  for (let run = 0; run <= runs; run++) {
    for (const { name } of subjects) {
      for (const one of run % 2 === 0 ? [name, `${name}-floor`] : [`${name}-floor`, name]) {
        const cold = await startFunction(folder, one)
        // The first run fills the caches of the disk.
        if (run > 0) found.set(one, [...(found.get(one) ?? []), cold])
      }
    }
  }
  return subjects.flatMap((subject) => rows(subject, found))
}

function rows({ name, startBytes, floorBytes }: Subject, found: Map<string, Cold[]>): Row[] {
  // The quickest of the runs: whatever else the machine does only adds.
  const of = (one: string, key: keyof Cold) => Math.min(...(found.get(one) ?? []).map((cold) => cold[key]))
  const [ms, floorMs] = [of(name, 'ms'), of(`${name}-floor`, 'ms')]
  const [cpu, floorCpu] = [of(name, 'cpu'), of(`${name}-floor`, 'cpu')]
  return [
    {
      what: `${name}, loaded at a cold start`,
      value: Math.round(startBytes / 1024),
      unit: 'KB minified',
      limit: { most: 450 },
      note: `its floor ${Math.round(floorBytes / 1024)} KB`,
    },
    {
      what: `${name}, from process start to first answer against the floor`,
      value: ms / floorMs,
      unit: 'times the time',
      limit: { most: 1.3 },
      note: `${ms.toFixed(0)} against ${floorMs.toFixed(0)} ms`,
    },
    {
      what: `${name}, the same in processor time`,
      value: cpu / floorCpu,
      unit: 'times',
      note: `${cpu.toFixed(0)} against ${floorCpu.toFixed(0)} ms`,
    },
  ]
}
