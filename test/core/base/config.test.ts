import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'

const link = (value: unknown) => JSON.stringify({ type: 'a link of SST', ...(value as object) })

const linked = {
  SST_RESOURCE_App: link({ name: 'ai-chat', stage: 'production' }),
  SST_RESOURCE_Stage: link({
    AI_CHAT_STAGE: 'production',
    AI_CHAT_TABLE: 'linked-table',
    AI_CHAT_CMS_URL: 'https://cms.example',
    AI_CHAT_CMS_KEY: 'k1',
    AI_CHAT_BUCKET: 'linked-bucket',
    AI_CHAT_QUEUE_URL: 'https://sqs.example/process',
    AI_CHAT_ORIGIN: 'https://chat.example',
    AI_CHAT_SECRET_ROUTER: 'what the Router shows',
    AI_CHAT_MODEL_PROFILES: '{"global.anthropic.claude-sonnet-5-5":"arn:aws:bedrock:a-profile"}',
    AI_CHAT_ALARMS: 'arn:aws:sns:alarms arn:aws:sns:edge',
    AWS_REGION: 'eu-central-1',
  }),
  SST_RESOURCE_StageSecret: link({ value: 'a stage secret of at least 32 characters' }),
  SST_RESOURCE_AnthropicSecret: link({ value: 'the key of the provider' }),
}

/** What a process of its own reads, with this environment and nothing else. */
async function read(env: Record<string, string>, expression: string): Promise<unknown> {
  const code = `
    const { config, secret } = await import('./core/base/config.ts')
    process.stdout.write(JSON.stringify(${expression}) ?? 'null')`
  const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', code], { env })
  return JSON.parse(stdout)
}

test('a deployed stage has its names and secrets from the links of SST', async () => {
  expect(await read(linked, 'config()')).toMatchObject({
    stage: 'production',
    table: 'linked-table',
    cms: { url: 'https://cms.example', keyId: 'k1' },
    alarms: ['arn:aws:sns:alarms', 'arn:aws:sns:edge'],
    region: 'eu-central-1',
    modelProfiles: { 'global.anthropic.claude-sonnet-5-5': 'arn:aws:bedrock:a-profile' },
    secret: 'a stage secret of at least 32 characters',
    isLocal: false,
  })
  expect(await read(linked, "['router', 'anthropic', 'other'].map(secret)")).toEqual([
    'what the Router shows',
    'the key of the provider',
    null,
  ])
})

test('the environment wins over the links', async () => {
  const env = { ...linked, AI_CHAT_TABLE: 'given', AI_CHAT_SECRET_ANTHROPIC: 'given key' }

  expect(await read(env, "[config().table, secret('anthropic')]")).toEqual(['given', 'given key'])
})

test('what is missing or damaged is named', async () => {
  await expect(
    read({ SST_RESOURCE_Stage: linked.SST_RESOURCE_Stage, AI_CHAT_MODEL_PROFILES: '{' }, 'config()'),
  ).rejects.toThrow('AI_CHAT_MODEL_PROFILES')
  await expect(read({ AI_CHAT_STAGE: 'x' }, 'config()')).rejects.toThrow('AI_CHAT_TABLE')
})
