import { mkdtempDisposable } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { FunctionName } from '../../../functions/http/routes.ts'
import { bundleBoth, type Cold, functionNames, prepareCold, startFunction } from '../cold.ts'
import { figure, type Row } from '../result-table.ts'
import { inTurns } from '../sample.ts'
import { section } from '../section.ts'

const runs = 9

/**
 * Measures the size of each web function, and its first answer in a new process. The floor beside it has only the SDK
 * clients.
 */
section(async () => {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'cold-'))
  const events = await prepareCold(folder.path)
  const subjects: Subject[] = []
  for (const name of functionNames) {
    const { own, floor } = await bundleBoth(folder.path, name, events[name])
    subjects.push({ name, startBytes: own.startBytes, floorBytes: floor.startBytes })
  }
  return await measureBundles(folder.path, subjects)
})

type Subject = { name: FunctionName; startBytes: number; floorBytes: number }

async function measureBundles(folder: string, subjects: Subject[]): Promise<Row[]> {
  const names = subjects.flatMap(({ name }) => [name, `${name}-floor`])
  // The first run fills the disk caches.
  const found = await inTurns(names, runs, (name) => startFunction(folder, name), 1)
  // The quickest run counts, because other work on the machine can only add time.
  const least = (name: string, key: keyof Cold) => Math.min(...found(name).map((cold) => cold[key]))
  return subjects.flatMap(({ name, startBytes, floorBytes }) => {
    const [ms, floorMs] = [least(name, 'ms'), least(`${name}-floor`, 'ms')]
    const [cpu, floorCpu] = [least(name, 'cpu'), least(`${name}-floor`, 'cpu')]
    return [
      figure(`${name}, loaded at a cold start`, Math.round(startBytes / 1024), 'KB minified', {
        most: 450,
        note: `its floor ${Math.round(floorBytes / 1024)} KB`,
      }),
      figure(
        `${name}, from process start to first answer against the floor`,
        ms / floorMs,
        'times the time',
        {
          most: 1.3,
          note: `${ms.toFixed(0)} against ${floorMs.toFixed(0)} ms`,
        },
      ),
      figure(`${name}, the same in processor time`, cpu / floorCpu, 'times', {
        note: `${cpu.toFixed(0)} against ${floorCpu.toFixed(0)} ms`,
      }),
    ]
  })
}
