import { execFileSync } from 'node:child_process'
import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { readDeployment, readSettings } from '../../infra/deployment.ts'
import { blocks } from '../support/docs.ts'

const home = process.cwd()
let folder: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'deployment-'))
  await mkdir(join(folder, 'infra/deployments'), { recursive: true })
  process.chdir(folder)
})
afterEach(async () => {
  process.chdir(home)
  await rm(folder, { recursive: true })
})

const dev = {
  permanent: false,
  processing: 'exec',
  domain: null,
  cms: null,
  frameAncestors: [],
  alarmEmail: null,
  monthlyBudgetDollars: 20,
}
const store = (stage: string, deployment: object) =>
  writeFile(join(folder, `infra/deployments/${stage}.json`), JSON.stringify({ ...dev, ...deployment }))

test('a file that says no more than it has to gets the usual load, and no option', async () => {
  await store('dev', {})

  expect(readDeployment('dev')).toEqual({
    ...dev,
    limits: { turns: 50, requestsPerSecond: 100, burst: 200 },
    canary: null,
    dashboard: false,
    modelProfiles: true,
    region: null,
    tags: {},
    webAclArn: null,
    permissionsBoundary: null,
    kmsKeyArn: null,
  })
})

test('the stage of one developer is made like dev', async () => {
  await store('dev', {})

  expect(readDeployment('ada').permanent).toBe(false)
})

test.each(['prod', 'Production2', 'staging', 'live', 'main', 'qa'])(
  'a stage called %s needs a file of its own',
  async (stage) => {
    await store('dev', {})

    expect(() => readDeployment(stage)).toThrow(`The stage ${stage} needs infra/deployments/${stage}.json`)
  },
)

test('a permanent stage says who gets its alarms', async () => {
  await store('production', { permanent: true })
  expect(() => readDeployment('production')).toThrow(/needs a recipient for its alarms[\s\S]*alarmEmail/)

  await store('production', { permanent: true, alarmEmail: 'none' })
  expect(readDeployment('production').alarmEmail).toBe('none')
})

test('the first command of docs/deploy.md gives production the recipient that it needs', async () => {
  const [command = ''] =
    blocks('docs/deploy.md', 'sh')
      .find((block) => block.includes('alarmEmail'))
      ?.split('\n') ?? []
  await cp(join(home, 'infra/deployments/production.json'), join(folder, 'infra/deployments/production.json'))
  execFileSync('sh', ['-c', command], { cwd: folder })

  expect(readDeployment('production')).toMatchObject({ permanent: true, alarmEmail: 'ops@example.com' })
})

const elsewhere = { url: 'https://cms.example/api', key: 'k1' }
test.each<[user: string | number, cms: object | null, isGood: boolean]>([
  ['canary', null, true],
  [9, null, false],
  [9, elsewhere, true],
  ['64f0c2a1b7e3d9f5a8c60e12', elsewhere, true],
  ['9', elsewhere, false],
  ['The canary', elsewhere, false],
])('the canary %j of a stage with the CMS %j: %j', async (user, cms, isGood) => {
  await store('dev', { cms, canary: { user, page: 3 } })

  if (isGood) expect(readDeployment('dev').canary?.user).toBe(user)
  else expect(() => readDeployment('dev')).toThrow('canary.user')
})

test.each([
  ['limits', { limits: { turns: 1, requestsPerSecond: 100, burst: 200 } }],
  ['webAclArn', { webAclArn: 'arn:aws:wafv2:eu-central-1:1:webacl/x' }],
  ['cms', { cms: { url: 'cms', key: 'k1' } }],
  ['kmsKeyArn', { kmsKeyArn: 'arn:aws:kms:eu-central-1:123456789012:alias/chat' }],
  ['region', { region: 'Frankfurt' }],
  ['permanent', { permanent: 'yes' }],
])('a wrong value is named by its path: %s', async (path, deployment) => {
  await store('dev', deployment)

  expect(() => readDeployment('dev')).toThrow(path)
})

test.each([
  [{ tools: { disabled: ['lst_backend_users'] } }, 'tools.disabled.0: matches no tool'],
  [
    { mcpServers: [{ name: 'shop', url: 'http://shop.example/mcp' }] },
    'mcpServers.0.url: has to begin with https:',
  ],
  [{ models: [{ uid: 1, fallback: 1 }] }, 'models.0.fallback: means nothing'],
])('settings that the deployed stage would refuse are refused before: %j', async (settings, sentence) => {
  await mkdir(join(folder, 'infra/stages'))
  await cp(join(home, 'infra/stages/base.json'), join(folder, 'infra/stages/base.json'))
  await writeFile(join(folder, 'infra/stages/dev.json'), JSON.stringify(settings))

  expect(() => readSettings('dev')).toThrow(`infra/stages/dev.json is not valid:\n  ${sentence}`)
})
