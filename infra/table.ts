import { expiryAttribute, indexes } from '../core/base/aws/indexes.ts'
import { deployment, isPermanent } from './stage.ts'

const keys = { hashKey: 'pk', rangeKey: 'sk' }
const guarded: Partial<sst.aws.DynamoArgs> = {
  deletionProtection: isPermanent,
  transform: { table: { pointInTimeRecovery: { enabled: isPermanent } } },
}

/** Conversations, messages, runs, sessions, usage and settings. */
export const table = new sst.aws.Dynamo('Chat', {
  ...guarded,
  fields: Object.fromEntries(
    ['pk', 'sk', ...Object.values(indexes).flatMap(({ pk, sk }) => [pk, sk])].map((name) => [name, 'string']),
  ),
  primaryIndex: keys,
  globalIndexes: Object.fromEntries(
    Object.values(indexes).map(({ name, pk, sk }) => [
      name,
      { hashKey: pk, rangeKey: sk, projection: 'keys-only' },
    ]),
  ),
  ttl: expiryAttribute,
})

/** The table of the reference CMS; undefined for a stage with a connected CMS. */
export const cmsTable = deployment.cms
  ? undefined
  : new sst.aws.Dynamo('Cms', {
      ...guarded,
      fields: { pk: 'string', sk: 'string' },
      primaryIndex: keys,
      ttl: expiryAttribute,
    })
