import { DescribeTableCommand } from '@aws-sdk/client-dynamodb'
import { config } from '../config.ts'
import { documents } from './table.ts'

/**
 * Items and bytes of the chat table; DynamoDB counts them about every six hours (DescribeTable, ItemCount). `bytes` is
 * undefined where they are not counted: the emulator says 0 of a table with items.
 */
export async function tableFigures(): Promise<{ items: number; bytes: number | undefined }> {
  const { Table } = await documents().send(new DescribeTableCommand({ TableName: config().table }))
  const { ItemCount: items = 0, TableSizeBytes: bytes = 0 } = Table ?? {}
  return { items, bytes: items > 0 && bytes === 0 ? undefined : bytes }
}
