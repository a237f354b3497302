import type { Inputs } from './mocks.ts'
import type { Statement, Synth } from './synth.ts'

/** Where a resource that holds data names its key. */
const named: Record<string, (inputs: Inputs) => unknown> = {
  'aws:dynamodb/table:Table': ({ serverSideEncryption }) => (serverSideEncryption as Inputs)?.kmsKeyArn,
  'aws:sqs/queue:Queue': ({ kmsMasterKeyId, sqsManagedSseEnabled }) =>
    sqsManagedSseEnabled ? undefined : kmsMasterKeyId,
  'aws:sns/topic:Topic': ({ kmsMasterKeyId }) => kmsMasterKeyId,
  'aws:cloudwatch/logGroup:LogGroup': ({ kmsKeyId }) => kmsKeyId,
  'aws:lambda/function:Function': ({ kmsKeyArn }) => kmsKeyArn,
  'aws:ssm/parameter:Parameter': ({ keyId }) => keyId,
}

/** What a service asks of the caller under a key, by the start of its own actions. */
const asked: [service: RegExp, actions: string[]][] = [
  [/^(dynamodb|sqs):/, ['kms:Decrypt', 'kms:GenerateDataKey']],
  [/^dynamodb:/, ['kms:DescribeKey', 'kms:Encrypt', 'kms:ReEncryptFrom', 'kms:ReEncryptTo']],
  [/^(logs|ssm):/, ['kms:Decrypt']],
]

/** What of a stage with a key of the account is not encrypted with it, or cannot be read; nothing of a stage without one. */
export function unencrypted(synth: Synth): string[] {
  const { resources, all, statements } = synth
  const [key] = /arn:aws:kms:[\w:/-]+/.exec(JSON.stringify(resources)) ?? []
  if (!key) return []
  const open = resources.flatMap(({ type, name, inputs }) => {
    const of = named[type]
    // A topic of another region cannot use the key.
    const wanted = name === 'EdgeAlarms' ? undefined : key
    return !of || of(inputs) === wanted ? [] : [`${name}: not under the key`]
  })
  const files = all('aws:s3/bucketServerSideEncryptionConfiguration:BucketServerSideEncryptionConfiguration')
  const isFiles = ({ bucket, rules }: Inputs) =>
    String(bucket).endsWith('-filesbucket') && JSON.stringify(rules).includes(`"kmsMasterKeyId":"${key}"`)
  const roles = resources.filter(({ type }) => type === 'aws:iam/role:Role').map(({ name }) => name)
  const refused = roles.flatMap((role) => {
    const of = ({ Action }: Statement) => [Action].flat()
    const own = statements(role)
    const needed = asked.filter(([service]) => own.some((it) => of(it).some((one) => service.test(one))))
    const may = own.filter(({ Resource }) => [Resource].flat().includes(key)).flatMap(of)
    return [...new Set(needed.flatMap(([, actions]) => actions))]
      .filter((action) => !may.includes(action))
      .map((action) => `${role}: may not ${action} with the key`)
  })
  return [...open, ...(files.some(isFiles) ? [] : ['files: not under the key']), ...refused]
}
