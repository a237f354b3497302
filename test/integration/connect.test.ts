import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { command, type Stage, startStage } from '../support/stage.ts'

/** A port where no server listens. */
const address = 'http://127.0.0.1:9/api'
const code = /aic2\.[\w-]{43}\.[\w-]+/
let folder: string
const connect = (...args: string[]) => {
  const env = { PATH: process.env.PATH, HOME: process.env.HOME, NO_COLOR: '1', AI_CHAT_DATA: folder }
  return command({ env }, 'connect', ...args)
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'connect-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

test('a deployed stage gets commands and lines, and this machine keeps nothing', async () => {
  const { code: ended, stdout } = await connect(
    'https://cms.example/api',
    '--origin',
    'https://chat.example.com',
  )

  expect(ended).toBe(0)
  expect(stdout).toMatch(/npx sst secret set CmsSecret [0-9a-f]{64} /)
  expect(stdout).toMatch(/npx sst secret set ExchangeSecret [0-9a-f]{64} /)
  expect(stdout).toContain('"embedOrigins": [\n         "https://cms.example"')
  await expect(stat(join(folder, 'connection.json'))).rejects.toThrow('ENOENT')
})

test.each([
  ['no address', []],
  ['an address that is none', ['cms']],
  ['http over the network', ['http://cms.example/api']],
  ['an origin with a path', ['https://cms.example/api', '--origin', 'https://chat.example.com/x']],
])('%s is a wrong call', async (_, args) => {
  expect((await connect(...args)).code).toBe(2)
})

test('a package that cannot be written leaves no connection behind', async () => {
  const { code: ended } = await connect('wordpress', address, '--file', `${import.meta.filename}/chat.zip`)

  expect(ended).not.toBe(0)
  await expect(stat(join(folder, 'connection.json'))).rejects.toThrow('ENOENT')
})

test('--help prints how it is called', async () => {
  const { code: ended, stdout } = await connect('--help')

  expect([ended, stdout]).toEqual([0, expect.stringMatching(/^Usage: npm run connect /m)])
})

describe('a local stage', () => {
  let stage: Stage

  beforeAll(async () => {
    await connect('wordpress', 'http://127.0.0.1:9/', '--groups', 'editor,3')
    await connect(address, '--groups', 'editor,3')
    stage = await startStage({ folder })
  })
  afterAll(() => stage?.stop())

  test('keeps its side for its owner alone, and the same code when asked again', async () => {
    const file = join(folder, 'connection.json')
    const kept = JSON.parse(await readFile(file, 'utf8'))
    const { stdout } = await connect(address, '--origin', 'http://127.0.0.1:3000')

    expect((await stat(file)).mode & 0o777).toBe(0o600)
    expect(kept).toMatchObject({ url: address, groups: ['editor', 3] })
    expect(code.exec(stdout)?.[0]).toBe(kept.code)
    expect((await connect(address, '--origin', 'http://127.0.0.1:3000', '--new')).stdout).not.toContain(
      kept.code,
    )
  })

  test('has the plugin as a zip file', async () => {
    const zip = await readFile(join(folder, 'backend-ai-chat.zip'))
    expect(zip.includes('backend-ai-chat/backend-ai-chat.php')).toBe(true)
    expect(zip.includes('backend-ai-chat/includes/class-aic-bridge.php')).toBe(true)
  })

  test('names the start of the stage before the code, so that the check of the plugin finds it', async () => {
    const { stdout } = await connect('wordpress', 'https://www.example.com', '--file', join(folder, 'wp.zip'))

    expect(stdout).toMatch(
      /1\. The stage has its side[\s\S]*2\. In WordPress: Plugins[\s\S]*3\. Settings, AI Chat: paste/,
    )
  })

  test('has the plugin of Payload as a tarball, and says how it is installed', async () => {
    const file = join(folder, 'elsewhere', 'plugin.tgz')
    const at = ['payload', 'https://www.example.com/', '--origin', 'https://chat.example.com']
    const { stdout } = await connect(...at, '--file', file)

    expect(gunzipSync(await readFile(file)).includes('package/dist/plugin.js')).toBe(true)
    expect(stdout).toContain('"url": "https://www.example.com/api"')
    expect(stdout).toMatch(/AI_CHAT_CODE=aic2\./)
  })

  test('starts although the CMS is down, says so, and shows no users of its own', async () => {
    const offered = await fetch(`${stage.origin}/backend/demo-users`)
    expect(await offered.json()).toEqual({ users: [], isElsewhere: true })
    expect(stage.output()).toContain(`The CMS at ${address} cannot be reached`)
    expect(stage.output()).toContain('The chat starts all the same')
    expect(stage.output()).toContain('those of the CMS')
    expect(stage.output()).not.toContain('autorin')
  })

  test('that the code is for another port is said at the start, by --check and by doctor', async () => {
    const sentence = `The code is for a stage at http://127.0.0.1:3000, and this one is at ${stage.origin}:`
    await connect(address, '--origin', 'http://127.0.0.1:3000')
    const [checked, doctor] = [await connect('--check'), await command(stage, 'doctor')]

    for (const said of [stage.output(), checked.stdout, doctor.stdout]) expect(said).toContain(sentence)
  })

  test('what is wrong is shown by --check and by doctor', async () => {
    const [checked, doctor] = [await connect('--check'), await command(stage, 'doctor')]

    expect(checked).toMatchObject({ code: 1, stdout: expect.stringContaining('cannot be reached') })
    expect(doctor.stdout).toMatch(/FAIL {2}CMS +The CMS at \S+ cannot be reached/)
    expect(doctor.stdout).not.toContain('fetch failed')
    expect(doctor.stdout).toMatch(/ok {4}secret .*exchange is set/)
  })
})
