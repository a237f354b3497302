import { afterAll, beforeAll, expect, test } from 'vitest'
import { stuckFigure } from '../../../core/conversation/turn-failure.ts'
import * as Store from '../../../core/file/store.ts'
import { type Bench, startBench } from '../../support/live.ts'

let bench: Bench
beforeAll(async () => {
  bench = await startBench()
})
afterAll(() => bench.stop())

test('get_system_status counts stuck turns and what table and bucket hold, and names neither', async () => {
  await Store.put('fileadmin/ai-chat/1/a.txt', 'twelve bytes', { contentType: 'text/plain' })
  const admin = await bench.login('admin')
  bench.api.reply({ calls: [{ name: 'get_system_status', arguments: {} }] }, { text: 'All is well.' })

  await admin.turn('How is the system?')

  const told = JSON.stringify(bench.api.requests.at(-1)?.body.messages)
  expect(told).toMatch(
    /- Table: items, counted by DynamoDB about every 6 hours: [1-9]\d*\\n- Table: bytes: not counted on this stage\\n/,
  )
  expect(told).toContain(`- ${stuckFigure}: 0\\n`)
  expect(told).toContain('- Bucket: objects: 1\\n- Bucket: bytes: 12\\n')
})
