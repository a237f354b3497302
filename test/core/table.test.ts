import { expect, test } from 'vitest'
import { config } from '../../core/config.ts'
import * as Table from '../../core/table.ts'

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
