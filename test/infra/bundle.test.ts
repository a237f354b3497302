import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { routes } from '../../functions/http/routes.ts'
import { bundleSandbox } from '../../infra/bundle.ts'
import { buildWorker } from '../../infra/local/command-bundle.ts'
import { type Bundle, bundle } from '../support/bundle.ts'

const web = [...new Set(routes.map((route) => route.function))]
const all = [...web, 'process', 'cleanup', 'apply', 'canary', 'retire']
const kilobyte = 1024

let folder: string
const built = new Map<string, Bundle>()

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'bundles-'))
  for (const name of all) built.set(name, await bundle(name, join(folder, name)))
  await bundleSandbox(join(folder, 'process'))
})

afterAll(() => rm(folder, { recursive: true, force: true }))

const of = (name: string) => built.get(name) as Bundle

describe.each(web)('the web function %s', (name) => {
  test('loads less than 450 KB at a cold start', () => {
    expect(of(name).startBytes).toBeLessThan(450 * kilobyte)
  })

  test('holds no model SDK and no document library, not even in files that are loaded on demand', () => {
    const heavy = /anthropic|bedrock|mammoth|pdf|hucre|canvas|sharp/

    expect([...of(name).packages].filter((it) => heavy.test(it))).toEqual([])
    expect([...of(name).modules].filter((it) => it.startsWith('core/model/a'))).toEqual([])
  })
})

/** Of the others, with room for some growth: who makes one much larger should know. */
const budgets: [string, number][] = [
  ['process', 870],
  ['cleanup', 650],
  ['apply', 400],
  ['canary', 400],
  ['retire', 450],
]

test.each(budgets)('%s loads less than %i KB at a cold start', (name, budget) => {
  expect(of(name).startBytes).toBeLessThan(budget * kilobyte)
})

test('functions that run turns have the model SDKs, loaded when the first model is asked', () => {
  expect([...of('process').packages]).toEqual(
    expect.arrayContaining(['@anthropic-ai/sdk', '@anthropic-ai/bedrock-sdk']),
  )
  expect(of('process').allBytes).toBeGreaterThan(of('process').startBytes + 400 * kilobyte)
})

test('the document libraries are packed beside the process function, for its sandbox alone', () => {
  expect([...of('process').packages].filter((it) => /mammoth|pdf|hucre/.test(it))).toEqual([])
  expect(existsSync(join(folder, 'process/sandbox-child.mjs'))).toBe(true)
})

test.each(all)('%s starts from its own folder alone', async (name) => {
  const code = `const { handler } = await import(${JSON.stringify(join(folder, name, 'bundle.mjs'))}); process.stdout.write(typeof handler)`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code], {
    cwd: folder,
    env: {},
  })

  expect(stdout).toBe('function')
})

test('the image of the worker holds the worker and its sandbox, and starts from its own folder alone', async () => {
  const image = join(folder, 'image')
  await buildWorker(image)

  const { stdout } = await promisify(execFile)(process.execPath, ['scripts/worker.mjs', '--help'], {
    cwd: image,
    env: {},
  })
  expect(stdout).toMatch(/^Usage: npm run ai-chat:worker/)
  expect(['sandbox-child.mjs', 'cmaps'].map((name) => existsSync(join(image, name)))).toEqual([true, true])
})
