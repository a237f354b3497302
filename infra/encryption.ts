import { deployment } from './stage.ts'

/**
 * The encryption of the data of the stage: the key of the account that the deployment file names, or the keys of AWS. Imported
 * before any resource is made, so that every one of a kind has the key, those of SST's own components too.
 */

const key = deployment.kmsKeyArn

if (key) {
  $transform(
    aws.dynamodb.Table,
    give<aws.dynamodb.TableArgs>({ serverSideEncryption: { enabled: true, kmsKeyArn: key } }),
  )
  // SQS takes one of the two.
  $transform(aws.sqs.Queue, give<aws.sqs.QueueArgs>({ kmsMasterKeyId: key, sqsManagedSseEnabled: undefined }))
  $transform(aws.sns.Topic, give<aws.sns.TopicArgs>({ kmsMasterKeyId: key }))
  $transform(aws.cloudwatch.LogGroup, give<aws.cloudwatch.LogGroupArgs>({ kmsKeyId: key }))
  // The environment of a function holds the key of its links, and so of its secrets.
  $transform(aws.lambda.Function, give<aws.lambda.FunctionArgs>({ kmsKeyArn: key }))
  $transform(aws.ssm.Parameter, give<aws.ssm.ParameterArgs>({ keyId: key }))
}

function give<Args extends object>(own: Partial<Args>) {
  return (args: Args | undefined) => {
    if (args) Object.assign(args, own)
  }
}

/** Encrypts what is put into a bucket from now on. S3 asks for the key once for many objects. */
export function encryptBucket(name: string, bucket: sst.aws.Bucket): void {
  if (!key) return
  new aws.s3.BucketServerSideEncryptionConfiguration(name, {
    bucket: bucket.name,
    rules: [
      {
        applyServerSideEncryptionByDefault: { sseAlgorithm: 'aws:kms', kmsMasterKeyId: key },
        bucketKeyEnabled: true,
      },
    ],
  })
}

const { region } = aws.getRegionOutput()
const services = ['dynamodb', 'lambda', 's3', 'sqs']

/**
 * The permission of a role to reach data under the key: the actions that DynamoDB asks of each caller, which are more than those of
 * the others. Through these services alone, each of which asks for its own permission as well.
 */
export const useKey: sst.aws.FunctionPermissionArgs[] = key
  ? [
      {
        actions: [
          'kms:Decrypt',
          'kms:DescribeKey',
          'kms:Encrypt',
          'kms:GenerateDataKey',
          'kms:ReEncryptFrom',
          'kms:ReEncryptTo',
        ],
        resources: [key],
        conditions: [
          {
            test: 'StringEquals',
            variable: 'kms:ViaService',
            values: services.map((service) => $interpolate`${service}.${region}.amazonaws.com`),
          },
        ],
      },
    ]
  : []

/** A policy of these statements, as a role takes it. */
export function policyOf(statements: sst.aws.FunctionPermissionArgs[]) {
  return aws.iam.getPolicyDocumentOutput({
    statements: statements.map(({ actions, resources, effect = 'allow', conditions = [] }) => ({
      effect: effect === 'deny' ? 'Deny' : 'Allow',
      actions,
      resources,
      conditions,
    })),
  }).json
}
