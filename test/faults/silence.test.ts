import { once } from 'node:events'
import { type AddressInfo, createServer } from 'node:net'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { waits } from '../../core/base/aws/transport.ts'
import { requestTimeoutMs } from '../../infra/limits.ts'

/** A service that takes connections and never says a word. */
const silent = createServer(() => undefined)

beforeAll(async () => {
  silent.listen(0, '127.0.0.1')
  await once(silent, 'listening')
  const endpoint = `http://127.0.0.1:${(silent.address() as AddressInfo).port}`
  Object.assign(process.env, { DYNAMODB_ENDPOINT: endpoint, SQS_ENDPOINT: endpoint, S3_ENDPOINT: endpoint })
  // The waits of the product are longer than a test should take. That of the queue is for a long poll.
  Object.assign(waits, { table: 300, store: 300 })
})
afterAll(() => silent.close())

test('a table that never answers is unavailable', async () => {
  const Table = await import('../../core/base/aws/table.ts')
  await expect(Table.get({ pk: 'a', sk: 'b' })).rejects.toMatchObject({ code: 'service.unavailable' })
})

test('a queue that never answers fails a send long before the end of a request', async () => {
  const Queue = await import('../../core/conversation/queue.ts')
  await expect(Queue.send({ conversationId: '2-a', requestId: 'b' }, 'user-2')).rejects.toThrow(/tim/i)
}, 20_000)

test('a store that never answers fails the request', async () => {
  const Store = await import('../../core/file/store.ts')
  await expect(Store.get('a')).rejects.toThrow(/tim/i)
})

test('the attempts at a silent store end before a request ends', async () => {
  vi.resetModules()
  const { waits: usual } = await import('../../core/base/aws/transport.ts')

  expect(3 * usual.store).toBeLessThan(requestTimeoutMs)
})
