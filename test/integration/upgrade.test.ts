import { afterEach, expect, test } from 'vitest'
import { login } from '../support/http.ts'
import { command, type Stage, startStage } from '../support/stage.ts'

let stage: Stage

afterEach(() => stage?.remove())

const wizard = 'aiChat_migrateMessagesToTable'

test('the upgrade moves the legacy conversation, reads like before, and again moves nothing', async () => {
  stage = await startStage()
  const editor = await login(stage.origin, 'editor')
  const { body } = await editor.get<{ conversations: { id: string }[] }>('/ai-chat/conversations')
  const id = body.conversations[0]?.id ?? ''
  const before = await editor.poll(id)

  const dry = await command(stage, 'upgrade', wizard, '--dry-run')
  const real = await command(stage, 'upgrade', wizard)
  const again = await command(stage, 'upgrade', wizard)

  const told = { migrated: 1, messages: 4, damaged: 0, failed: 0 }
  expect(dry).toMatchObject({ code: 0, stdout: `${JSON.stringify({ ...told, dryRun: true })}\n` })
  expect(real).toMatchObject({ code: 0, stdout: `${JSON.stringify({ ...told, dryRun: false })}\n` })
  expect(real.stderr).toContain('1 conversations, 4 messages')
  expect(JSON.parse(again.stdout)).toEqual({ migrated: 0, messages: 0, damaged: 0, failed: 0, dryRun: false })
  const after = await editor.poll(id)
  expect(after.messages).toEqual(before.messages)
  expect(after.conversation).toEqual({ ...before.conversation, version: before.conversation.version + 1 })
})

test('a wrong call is answered with the usage line', async () => {
  stage = await startStage()

  for (const args of [[], ['aiChat_other'], [wizard, wizard], [wizard, '--now']]) {
    const ended = await command(stage, 'upgrade', ...args)
    expect([ended.code, ended.stdout]).toEqual([2, ''])
    expect(ended.stderr).toContain(`Usage: npm run upgrade -- ${wizard} [--dry-run]`)
  }
})
