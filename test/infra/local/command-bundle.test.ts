import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, realpath, rm, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { buildCommands } from '../../../infra/local/command-bundle.ts'
import { quickest } from '../../../infra/local/compiled.ts'

const here = fileURLToPath(new URL('../../..', import.meta.url))

/** A checkout with a command and a function, and what launches the command. */
let checkout: string

beforeEach(async () => {
  checkout = `${await realpath(await mkdtemp(join(tmpdir(), 'bundled-')))}/`
  await write('package.json', '{"type":"module","scripts":{"hello":"exec node scripts/launch.ts hello"}}')
  await write('package-lock.json', '{}')
  await write('node_modules/.package-lock.json', '{}')
  await write('scripts/hello.ts', command('Hello'))
  await write('core/text.ts', "export const fail = (text: string) => { throw new Error('no') }\n")
  await write('functions/where.ts', 'export const handler = async () => import.meta.url\n')
  await write('infra/local/prepare.ts', 'export const handler = async () => 1\n')
  for (const path of ['scripts/launch.ts', 'infra/local/command-bundle.ts', 'infra/local/compiled.ts'])
    await cp(join(here, path), join(checkout, path))
})

afterEach(() => rm(checkout, { recursive: true }))

const command = (word: string) =>
  `import { fail } from '../core/text.ts'\nif (process.argv[2]) fail(process.argv[2])\nconsole.log('${word}', ...process.argv.slice(2))\n`

async function write(path: string, content: string): Promise<void> {
  await mkdir(dirname(join(checkout, path)), { recursive: true })
  await writeFile(join(checkout, path), content)
}

const addressOf = (path: string) => pathToFileURL(join(checkout, path)).href
const served = (path: string) => quickest(addressOf(path), checkout)
/** Makes the bundles when the files have their age: one that has just changed may change again unseen. */
const allBundled = () =>
  expect
    .poll(async () => {
      await buildCommands(checkout)
      return [served('scripts/hello.ts'), served('functions/where.ts')].join()
    })
    .toMatch(/dist.*,.*dist/)

/** Runs the command as its npm script does. */
const launch = (...args: string[]) =>
  promisify(execFile)(process.execPath, [
    '--no-warnings',
    join(checkout, 'scripts/launch.ts'),
    'hello',
    ...args,
  ])

test('a command and a function are taken from a bundle, and find files beside their source', async () => {
  await allBundled()

  expect(served('scripts/hello.ts')).toMatch(/\/dist\/commands\/commands-[0-9a-f]{12}\/scripts\/hello\.mjs$/)
  expect(served('functions/where.ts')).toMatch(/\/dist\/commands\/web-[0-9a-f]{12}\/functions\/where\.mjs$/)
  expect((await launch()).stdout).toBe('Hello\n')
  const { handler } = await import(served('functions/where.ts'))
  expect(await handler()).toBe(addressOf('functions/where.ts'))
})

test('a source is never answered by the bundle of an earlier one, whatever its size and date say', async () => {
  const date = new Date('2026-01-01')
  await utimes(join(checkout, 'scripts/hello.ts'), date, date)
  await allBundled()

  await write('scripts/hello.ts', command('HELLO'))
  await utimes(join(checkout, 'scripts/hello.ts'), date, date)

  expect(served('scripts/hello.ts')).toBe(addressOf('scripts/hello.ts'))
  expect((await launch()).stdout).toBe('HELLO\n')
  await allBundled()
  expect((await launch()).stdout).toBe('HELLO\n')
})

test.each([
  'core/text.ts',
  'package-lock.json',
  'node_modules/.package-lock.json',
  'infra/local/command-bundle.ts',
])('a change of %s outdates the bundle of the command', async (path) => {
  await allBundled()

  await writeFile(join(checkout, path), '\n', { flag: 'a' })

  expect(served('scripts/hello.ts')).toBe(addressOf('scripts/hello.ts'))
})

test('files that are written again as they were keep their bundle, which is not made again', async () => {
  await allBundled()
  const before = served('scripts/hello.ts')

  await write('scripts/hello.ts', command('Hello'))

  expect(served('scripts/hello.ts')).toBe(addressOf('scripts/hello.ts'))
  expect(await buildCommands(checkout)).toEqual([])
  expect(served('scripts/hello.ts')).toBe(before)
})

test('without a bundle, with a torn one, or in another folder than it was made for, sources run', async () => {
  expect((await launch('')).stdout).toBe('Hello \n')
  await allBundled()

  await rm(fileURLToPath(served('scripts/hello.ts')))
  expect(served('scripts/hello.ts')).toBe(addressOf('scripts/hello.ts'))
  await write('dist/commands/commands.json', '{"root":')
  expect(served('scripts/hello.ts')).toBe(addressOf('scripts/hello.ts'))
  const other = `${checkout}copy/`
  await cp(join(checkout, 'dist'), join(other, 'dist'), { recursive: true })
  await cp(join(checkout, 'functions'), join(other, 'functions'), { recursive: true })
  const copied = pathToFileURL(join(other, 'functions/where.ts')).href
  expect(quickest(copied, other)).toBe(copied)
})

test('the stack of an error names lines of the sources', async () => {
  await allBundled()

  const { stderr } = await launch('fail').catch((error: { stderr: string }) => error)

  expect(stderr).toMatch(
    /Error: no\n +at fail \(file:\S+\/core\/text\.ts:1:\d+\)\n +at \S*\/scripts\/hello\.ts:2:/,
  )
})

test('the last three bundles stay for processes that were started from them', async () => {
  for (const word of ['one', 'two', 'three', 'four']) {
    await write('scripts/hello.ts', command(word))
    await allBundled()
  }

  const folders = (await readdir(join(checkout, 'dist/commands'))).filter((name) => /^commands-/.test(name))
  expect(folders).toHaveLength(3)
  expect((await launch()).stdout).toBe('four\n')
})
