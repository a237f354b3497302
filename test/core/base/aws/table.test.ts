import { expect, test } from 'vitest'
import * as Table from '../../../../core/base/aws/table.ts'
import { pages } from '../../../../core/base/aws/table.ts'
import { config } from '../../../../core/base/config.ts'

test('a failed condition of a transaction names its position', async () => {
  const table = config().table
  await Table.put({ pk: 'a', sk: 'a', n: 1 })

  const put = (pk: string) => ({
    Put: { TableName: table, Item: { pk, sk: 'a' }, ConditionExpression: 'attribute_not_exists(pk)' },
  })
  expect(await Table.transact([put('b'), put('a')])).toEqual({ done: false, failed: [1] })
  expect(await Table.get({ pk: 'b', sk: 'a' })).toBeUndefined()
})

test('no keys are no request', async () => {
  expect(await Table.batch([])).toEqual([])
})

test('all rows of a query are those of all its pages, and so are those of a table', async () => {
  const keys = ['1', '2', '3', '4', '5'].map((sk) => ({ pk: 'paged', sk }))
  for (const key of keys) await Table.put(key)

  const values = { ExpressionAttributeValues: { ':pk': 'paged' }, Limit: 2 }
  expect(await Table.all({ KeyConditionExpression: 'pk = :pk', ...values })).toEqual(keys)

  const found: Table.Row[] = []
  for await (const rows of pages({ FilterExpression: 'pk = :pk', ...values })) found.push(...rows)
  expect(found).toEqual(keys)
})

/** Lets something happen to the next requests: before they are sent, or after they were answered. */
async function disturbed<T>(
  times: number,
  when: 'before' | 'after',
  error: Error,
  act: () => Promise<T>,
): Promise<{ result: T | Error; requests: number }> {
  const stack = Table.documents().middlewareStack
  let requests = 0
  stack.add(
    (next) => async (args) => {
      const isDisturbed = requests++ < times
      if (isDisturbed && when === 'before') throw error
      const answer = await next(args)
      if (isDisturbed) throw error
      return answer
    },
    { step: 'initialize', name: 'disturbed', override: true },
  )
  const result = await act().catch((thrown: Error) => thrown)
  stack.remove('disturbed')
  return { result, requests }
}

const named = (name: string) => Object.assign(new Error(name), { name })
const putOnce = (pk: string) => ({
  Put: {
    TableName: config().table,
    Item: { pk, sk: 'a' },
    ConditionExpression: 'attribute_not_exists(pk)',
  },
})

test.each([
  'ThrottlingException',
  'ProvisionedThroughputExceededException',
  'TransactionConflictException',
  'TimeoutError',
])('a request that meets %s is made again', async (name) => {
  const { result, requests } = await disturbed(2, 'before', named(name), () =>
    Table.get({ pk: 'a', sk: 'a' }),
  )

  expect([result, requests]).toEqual([{ pk: 'a', sk: 'a', n: 1 }, 3])
})

test('what does not pass is service.unavailable, and says when to come again', async () => {
  const { result } = await disturbed(1_000, 'before', named('ThrottlingException'), () =>
    Table.put({ pk: 'never', sk: 'a' }),
  )

  expect(result).toMatchObject({ code: 'service.unavailable', kind: 'unavailable', retryAfterMs: 1_000 })
  expect(await Table.get({ pk: 'never', sk: 'a' })).toBeUndefined()
})

test('a mistake is not repeated', async () => {
  const { result, requests } = await disturbed(1, 'before', named('ValidationException'), () =>
    Table.get({ pk: 'a', sk: 'a' }),
  )

  expect([(result as Error).name, requests]).toEqual(['ValidationException', 1])
})

test('a transaction that was done although its answer was lost is done once, and told as done', async () => {
  const reset = Object.assign(new Error('reset'), { code: 'ECONNRESET' })

  const { result, requests } = await disturbed(1, 'after', reset, () => Table.transact([putOnce('kept')]))

  expect([result, requests]).toEqual([{ done: true }, 2])
  expect(await Table.transact([putOnce('kept')])).toEqual({ done: false, failed: [0] })
})

test('a single write that was done although its answer was lost is done once, and told as done', async () => {
  const reset = Object.assign(new Error('reset'), { code: 'ECONNRESET' })

  const { result, requests } = await disturbed(1, 'after', reset, () => Table.writeOnce(putOnce('one')))

  expect([result, requests]).toEqual([true, 2])
  expect(await Table.writeOnce(putOnce('one'))).toBe(false)
})
