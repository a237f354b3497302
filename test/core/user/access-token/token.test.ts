import { expect, test, vi } from 'vitest'
import * as Table from '../../../../core/base/aws/table.ts'
import { key } from '../../../../core/user/access-token/schema.ts'
import { create, find, revoke } from '../../../../core/user/access-token/token.ts'

// Read when the log is first written.
vi.stubEnv('POWERTOOLS_LOG_LEVEL', 'WARN')

const now = Date.UTC(2026, 0, 15, 12)
const days = 30
const until = now + days * 86_400_000
const editor = { uid: 2 }

test('a token opens for its owner until its last day, and not a moment longer', async () => {
  const { id, token } = await create(editor, { name: 'Laptop', days }, now)

  expect(await find(token, until - 1)).toMatchObject({ uid: 2, token: { id, name: 'Laptop', until } })
  expect(await find(token, until)).toBeUndefined()
})

test('a token that its owner has revoked opens nothing', async () => {
  const { id, token } = await create(editor, { name: 'Laptop', days }, now)
  await revoke(editor, id)
  const logged: string[] = []
  const write = (line: string | Uint8Array) => logged.push(String(line)) > 0
  const outputs = [process.stdout, process.stderr].map((output) =>
    vi.spyOn(output, 'write').mockImplementation(write),
  )

  expect(await find(token, now)).toBeUndefined()
  for (const output of outputs) output.mockRestore()
  // Nobody may write reports of damage with a token that is gone.
  expect(logged).toEqual([])
})

test('a token whose row cannot be read whole opens nothing', async () => {
  const { id, token } = await create(editor, { name: 'Laptop', days }, now)
  const row = (await Table.get(key(2, id))) as Table.Row & Table.Key
  await Table.put({ ...row, hour_uses: 'many' })

  expect(await find(token, now)).toBeUndefined()
})

test.each([
  ['another secret', (token: string) => `${token.slice(0, -1)}${token.endsWith('A') ? 'B' : 'A'}`],
  ['another owner', (token: string) => token.replace('aict_2_', 'aict_3_')],
  ['more behind it', (token: string) => `${token}A`],
])('a token with %s opens nothing', async (_, changed) => {
  const { token } = await create(editor, { name: 'Laptop', days }, now)

  expect(await find(changed(token), now)).toBeUndefined()
})
