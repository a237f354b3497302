import { spawn } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Client, login } from '../support/http.ts'
import { type MessagesApi, startMessagesApi } from '../support/messages-api.ts'
import { command, type Stage, startStage, watch } from '../support/stage.ts'

/** Workers as processes of their own, which are stopped and killed while they work. */

let api: MessagesApi
let stage: Stage
let editor: Client

beforeAll(async () => {
  api = await startMessagesApi()
  stage = await startStage({
    env: { AI_CHAT_PROCESSING: 'worker', ANTHROPIC_API_KEY: api.key, ANTHROPIC_BASE_URL: api.url },
  })
  editor = await login(stage.origin, 'editor')
})
beforeEach(() => api.reset())
afterAll(async () => {
  await stage.remove()
  await api.stop()
})

const script = fileURLToPath(new URL('../../scripts/launch.ts', import.meta.url))

function startWorker() {
  const args = ['--no-warnings', script, 'worker', '--poll-interval', '1000']
  return watch(spawn(process.execPath, args, { env: stage.env }))
}

test('SIGTERM has a worker give back what it works on, and another one goes on with it', async () => {
  api.reply({ fault: 'hang', where: 'stream' })
  const { conversation } = await editor.send('Tell me a lot')
  const status = async () => (await editor.poll(conversation.id)).conversation.status
  expect(await status()).toBe('processing')
  const first = startWorker()
  await api.received(1)
  expect(await status()).toBe('locked')

  first.child.kill('SIGTERM')

  expect((await first.exited).code).toBe(0)
  expect(await status()).toBe('processing')
  api.reply({ text: 'A lot.' })
  expect((await command(stage, 'process', '--conversation', conversation.id)).code).toBe(0)
  expect(await status()).toBe('idle')
  const { messages } = await editor.poll(conversation.id)
  expect(messages.map(({ content }) => content)).toEqual(['Tell me a lot', 'A lot.'])
})

test('SIGKILL leaves a turn whose lease runs out, and which another consumer then ends', async () => {
  api.reply({ fault: 'hang', where: 'stream' })
  const { conversation } = await editor.send('Are you there?')
  const first = startWorker()
  await api.received(1)

  first.child.kill('SIGKILL')
  await first.exited

  expect((await editor.poll(conversation.id)).conversation.status).toBe('locked')
  const later = new Date(Date.now() + 120_000).toISOString()
  expect(JSON.parse((await command(stage, 'cleanup', '--now', later)).stdout)).toMatchObject({ resumed: 1 })
  api.reply({ text: 'Here I am.' })
  expect((await command(stage, 'process', '--conversation', conversation.id)).code).toBe(0)
  const { messages } = await editor.poll(conversation.id)
  expect(messages.map(({ content }) => content)).toEqual(['Are you there?', 'Here I am.'])
})
