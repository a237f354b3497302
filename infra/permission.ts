import { auditPrefix, userDataPrefix } from '../core/base/aws/indexes.ts'
import { leftKey, pagesPrefix, partsPrefix } from '../core/watch/retire/schema.ts'
import type { FunctionName } from '../functions/http/routes.ts'
import { bucket } from './bucket.ts'
import { bedrockModels, foundationOf, profiles } from './model.ts'
import { depth, send } from './queue.ts'
import { cmsTable, table } from './table.ts'

/** The permissions of each function: single actions on single resources. AWS refuses everything else. */

type Statement = sst.aws.FunctionPermissionArgs

const readItems = ['dynamodb:BatchGetItem', 'dynamodb:Query']
const writeItems = ['dynamodb:PutItem', 'dynamodb:UpdateItem']
/** A start of a turn may give back lost places of the user, and checks that their conversations are gone. */
const checkItem = 'dynamodb:ConditionCheckItem'
const deleteItem = 'dynamodb:DeleteItem'
const deleteItems = 'dynamodb:BatchWriteItem'

const chat = (...actions: string[]): Statement => ({ actions, resources: [table.arn] })
const indexes: Statement = {
  actions: ['dynamodb:Query'],
  resources: [$interpolate`${table.arn}/index/*`],
}
const cms = (...actions: string[]): Statement[] => (cmsTable ? [{ actions, resources: [cmsTable.arn] }] : [])
const files = (prefix: string, ...actions: string[]): Statement => ({
  actions,
  resources: [$interpolate`${bucket.arn}/${prefix}/*`],
})
const listFiles: Statement = { actions: ['s3:ListBucket'], resources: [bucket.arn] }
const describeTable: Statement = { actions: ['dynamodb:DescribeTable'], resources: [table.arn] }

/**
 * The permission to call models. The stage's own profile can call an AWS profile, which calls the model. AWS checks the
 * permission on all three. The region is a wildcard, because an AWS profile spreads calls over several regions.
 */
const askModels: Statement[] =
  bedrockModels.length === 0
    ? []
    : [
        {
          actions: ['bedrock:InvokeModel', 'bedrock:InvokeModelWithResponseStream'],
          resources: bedrockModels.flatMap((id) => [
            `arn:aws:bedrock:*::foundation-model/${foundationOf(id)}`,
            $interpolate`arn:aws:bedrock:*:${aws.getCallerIdentityOutput().accountId}:inference-profile/${id}`,
            ...[profiles.get(id)].flatMap((own) => (own ? [own.arn] : [])),
          ]),
        },
      ]

/**
 * Protects the audit: the service may put entries into its partitions, but may not update or remove an entry. IAM cannot
 * forbid a put that replaces an entry. A transaction that puts an entry also writes to other partitions, so this
 * statement does not match it.
 */
const keepAudit: Statement = {
  effect: 'deny',
  actions: ['dynamodb:UpdateItem', deleteItems, deleteItem],
  resources: [table.arn],
  conditions: [
    {
      test: 'ForAllValues:StringLike',
      variable: 'dynamodb:LeadingKeys',
      values: [`${auditPrefix}*`, `${userDataPrefix}*`],
    },
    // Without this condition, a request that names no key would be refused as well.
    { test: 'Null', variable: 'dynamodb:LeadingKeys', values: ['false'] },
  ],
}

/** Each request reads session, user and settings in one batch, and audits a refusal. */
const visit = [chat('dynamodb:BatchGetItem', 'dynamodb:PutItem'), keepAudit, ...cms('dynamodb:BatchGetItem')]
/** A request of a user extends the session; a poll does not. */
const act = chat('dynamodb:UpdateItem')
const readCms = cms('dynamodb:Query')
/** A record is created on a page, or moved to it, only if the page has not changed meanwhile. */
const writeCms = cms('dynamodb:Query', checkItem, ...writeItems)

/** The permissions of the web functions, by name. */
export const webPermissions: Record<FunctionName, Statement[]> = {
  upload: [
    ...visit,
    act,
    files('pending', 's3:PutObject', 's3:GetObject', 's3:DeleteObject'),
    files('fileadmin/ai-chat', 's3:PutObject', 's3:GetObject'),
    // Pictures of the site; the CMS decides which pictures the user may see.
    files('fileadmin/media', 's3:GetObject'),
    ...readCms,
    // Without this permission, S3 answers "forbidden" for an object that does not exist.
    listFiles,
  ],
  send: [...visit, act, chat('dynamodb:Query', checkItem, deleteItem), ...readCms, send],
  // Administrators see the state of tool servers, which consumers store in the table.
  status: [...visit, chat('dynamodb:Query')],
  poll: [...visit, chat('dynamodb:Query'), ...readCms],
  conversations: [
    ...visit,
    act,
    chat('dynamodb:Query', checkItem, deleteItem),
    indexes,
    ...writeCms,
    files('exports', 's3:PutObject', 's3:GetObject'),
    // An undo of many records is a job for the consumer.
    send,
  ],
  // Grants and access tokens are rows of the chat's table; the servers themselves need no permission.
  connections: [...visit, act, chat('dynamodb:Query', deleteItem)],
  // A program reads as its user, and its proposal starts a turn. The list of files reads the bucket, and the program
  // also gets pictures of the site. The program's resources are the records of the user's last conversations.
  mcp: [
    ...visit,
    act,
    chat('dynamodb:Query', checkItem),
    indexes,
    ...readCms,
    listFiles,
    files('fileadmin/media', 's3:GetObject'),
    send,
  ],
  // `deleteItems`: a logout in a connected CMS deletes all sessions of the user. `indexes`: the usage report finds its
  // days.
  backend: [...visit, act, chat('dynamodb:Query', deleteItem, deleteItems), indexes, ...writeCms],
}

/** Permissions of the consumer: the process function, or the worker. */
export const consumerPermissions: Statement[] = [
  chat(...readItems, ...writeItems, checkItem, deleteItem),
  indexes,
  keepAudit,
  ...cms('dynamodb:BatchGetItem'),
  ...writeCms,
  files('fileadmin', 's3:GetObject'),
  files('cache', 's3:GetObject', 's3:PutObject'),
  listFiles,
  describeTable,
  send,
  depth,
  ...askModels,
]

/**
 * Permissions of cleanup. If a consumer has begun a write and not finished it, cleanup forbids that write in the CMS
 * for ever.
 */
export const cleanupPermissions: Statement[] = [
  chat(...readItems, ...writeItems, checkItem, deleteItem, deleteItems),
  indexes,
  keepAudit,
  ...cms('dynamodb:BatchGetItem', 'dynamodb:Query', 'dynamodb:PutItem'),
  files('pending', 's3:DeleteObject'),
  files('fileadmin/ai-chat', 's3:DeleteObject'),
  files('cache', 's3:DeleteObject'),
  send,
]

/** Permissions of the function that stores the settings. */
export const applyPermissions: Statement[] = [chat('dynamodb:PutItem')]

/** Returns the permissions of the function that removes files of earlier releases from the bucket of the pages. */
export const retirePermissions = (pages: sst.aws.Bucket): Statement[] => [
  { actions: ['s3:ListBucket'], resources: [pages.arn] },
  { actions: ['s3:GetObject'], resources: [$interpolate`${pages.arn}/${pagesPrefix}*`] },
  { actions: ['s3:GetObject', 's3:PutObject'], resources: [$interpolate`${pages.arn}/${leftKey}`] },
  { actions: ['s3:DeleteObject'], resources: [$interpolate`${pages.arn}/${partsPrefix}*`] },
]
