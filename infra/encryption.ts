import { deployment } from './stage.ts'

/**
 * Encrypts the data of the stage with the KMS key that the deployment file names; without one, AWS encrypts it with
 * keys of AWS. This file is imported before any resource is created, so that every resource of the kinds below gets the
 * key. That includes resources that SST creates.
 */

const key = deployment.kmsKeyArn

if (key) {
  $transform(
    aws.dynamodb.Table,
    give<aws.dynamodb.TableArgs>({ serverSideEncryption: { enabled: true, kmsKeyArn: key } }),
  )
  // SQS accepts only one of the two options.
  $transform(aws.sqs.Queue, give<aws.sqs.QueueArgs>({ kmsMasterKeyId: key, sqsManagedSseEnabled: undefined }))
  $transform(aws.cloudwatch.LogGroup, give<aws.cloudwatch.LogGroupArgs>({ kmsKeyId: key }))
  // The environment of a function is encrypted, too, because it contains the key that decrypts the function's links and
  // secrets.
  $transform(aws.lambda.Function, give<aws.lambda.FunctionArgs>({ kmsKeyArn: key }))
  $transform(aws.ssm.Parameter, give<aws.ssm.ParameterArgs>({ keyId: key }))
}

function give<Args extends object>(own: Partial<Args>) {
  return (args: Args | undefined) => {
    if (args) Object.assign(args, own)
  }
}

/** Encrypts new objects of a bucket. S3 requests the key once for many objects. */
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
 * The permission of a role to read and write data that is encrypted with the key. The actions are those that DynamoDB
 * requires of each caller; the other services require fewer. The permission is valid only for calls through these
 * services, each of which also requires its own permission.
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

/** Returns a policy document for a role from statements. */
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
