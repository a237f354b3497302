import { DescribeTableCommand } from '@aws-sdk/client-dynamodb'
import { config } from '../stage/config.ts'
import { documents } from './table.ts'

/** Items and bytes of the chat table; DynamoDB counts them about every six hours (DescribeTable, ItemCount). */
export async function tableFigures(): Promise<{ items: number; bytes: number }> {
  const { Table } = await documents().send(new DescribeTableCommand({ TableName: config().table }))
  return { items: Table?.ItemCount ?? 0, bytes: Table?.TableSizeBytes ?? 0 }
}
