import { ScanCommand, type ScanCommandInput } from '@aws-sdk/lib-dynamodb'
import { config } from '../stage/config.ts'
import { retrying } from './retry.ts'
import { documents, type Row } from './table.ts'

/**
 * The pages of a whole table, strongly read unless the input says otherwise. For commands: no function may scan. A
 * filter may leave a page without rows.
 */
export async function* pages(
  input: Omit<ScanCommandInput, 'TableName' | 'ExclusiveStartKey'> & { TableName?: string } = {},
): AsyncGenerator<Row[]> {
  let from: Row | undefined
  do {
    const start = from && { ExclusiveStartKey: from }
    const command = new ScanCommand({ TableName: config().table, ConsistentRead: true, ...input, ...start })
    const page = await retrying(() => documents().send(command))
    yield page.Items ?? []
    from = page.LastEvaluatedKey
  } while (from)
}
