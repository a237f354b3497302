import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deserialize, serialize } from 'node:v8'
import type { Planted } from './program.ts'

/** Plans of stages that several test files look at: each is made once in a run of the tests. */

/** Makes the folder of the run, and removes it with the run. */
export default async function setup(): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'ai-chat-synth-'))
  process.env.AI_CHAT_SYNTH_FOLDER = folder
  return () => rm(folder, { recursive: true, force: true })
}

/**
 * What `make` answers for a stage whose files have these texts: of the first test file of the run that asked for it,
 * as a copy. What it throws is not kept.
 */
export async function kept<T>(stage: string, planted: Planted, make: () => Promise<T>): Promise<T> {
  const folder = process.env.AI_CHAT_SYNTH_FOLDER
  if (!folder) throw new Error('AI_CHAT_SYNTH_FOLDER is missing: the tests have to run in the project infra.')
  const file = join(folder, await nameOf(stage, planted))
  if (existsSync(file)) return deserialize(await readFile(file)) as T
  const made = await make()
  const own = `${file}.${process.pid}`
  await writeFile(own, serialize(made))
  // Another test file reads a whole plan or none.
  await rename(own, file)
  return made
}

async function nameOf(stage: string, planted: Planted): Promise<string> {
  const texts = Object.entries(planted).map(async ([file, change]) => [
    file,
    change(await readFile(file, 'utf8')),
  ])
  return createHash('sha256')
    .update(JSON.stringify([stage, ...(await Promise.all(texts))]))
    .digest('hex')
}
