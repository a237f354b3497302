import { ConditionalCheckFailedException, TransactionCanceledException } from '@aws-sdk/client-dynamodb'
import { type DynamoDBDocumentClient, UpdateCommand, type UpdateCommandInput } from '@aws-sdk/lib-dynamodb'
import * as Log from '../log.ts'

/**
 * Repairs a damaged number or set, because DynamoDB refuses every update that adds to it. Finds the attributes that a
 * refused update adds to, and removes each attribute whose stored type is wrong. The repeated update then creates them
 * from scratch.
 */

type Update = Pick<
  UpdateCommandInput,
  'TableName' | 'Key' | 'UpdateExpression' | 'ExpressionAttributeNames' | 'ExpressionAttributeValues'
>

/** Returns the positions of the updates that DynamoDB refused with a validation error. */
export function refusedForForm(error: unknown): number[] {
  if (error instanceof TransactionCanceledException)
    return (error.CancellationReasons ?? []).flatMap(({ Code }, at) =>
      Code === 'ValidationError' ? [at] : [],
    )
  return error instanceof Error && error.name === 'ValidationException' ? [0] : []
}

/** Removes the attributes whose type does not fit these updates; false if it removed no attribute. */
export async function mend(
  documents: DynamoDBDocumentClient,
  updates: (Update | undefined)[],
): Promise<boolean> {
  const attempts = updates.flatMap((update) =>
    update ? operands(update).map((operand) => removed(documents, update, operand)) : [],
  )
  return (await Promise.all(attempts)).includes(true)
}

type Operand = { attribute: string; type: 'N' | 'SS' }

/** Returns the attributes in the clauses ADD and DELETE of an update, with the type of their values. */
function operands({
  UpdateExpression = '',
  ExpressionAttributeNames: names = {},
  ExpressionAttributeValues: values = {},
}: Update): Operand[] {
  return [...UpdateExpression.matchAll(/\b(?:ADD|DELETE) ((?:#?\w+ :\w+(?:, )?)+)/g)].flatMap(
    ([, clause = '']) =>
      clause.split(', ').map((pair) => {
        const [name = '', value = ''] = pair.trim().split(' ')
        return { attribute: names[name] ?? name, type: values[value] instanceof Set ? 'SS' : 'N' } as const
      }),
  )
}

async function removed(
  documents: DynamoDBDocumentClient,
  { TableName, Key }: Update,
  { attribute, type }: Operand,
): Promise<boolean> {
  try {
    await documents.send(
      new UpdateCommand({
        TableName,
        Key,
        UpdateExpression: 'REMOVE #operand',
        // Another request may already have repaired the attribute and added to it.
        ConditionExpression: 'attribute_exists(#operand) AND NOT attribute_type(#operand, :type)',
        ExpressionAttributeNames: { '#operand': attribute },
        ExpressionAttributeValues: { ':type': type },
      }),
    )
    Log.warn('A damaged attribute was removed', { pk: String(Key?.pk), sk: String(Key?.sk), attribute })
    return true
  } catch (error) {
    if (error instanceof ConditionalCheckFailedException) return false
    throw error
  }
}
