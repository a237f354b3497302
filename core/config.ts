import * as z from 'zod'

/**
 * What the environment says of the stage: names and addresses, no rules. The only reader of `process.env`; parsed on
 * first use, so that nothing is constructed at import.
 */
const Environment = z.object({
  AI_CHAT_STAGE: z.string().min(1),
  AI_CHAT_TABLE: z.string().min(1),
  /** Absent where the CMS is elsewhere. */
  AI_CHAT_CMS_TABLE: z.string().min(1).optional(),
  AI_CHAT_BUCKET: z.string().min(1),
  AI_CHAT_QUEUE_URL: z.string().min(1),
  AI_CHAT_DLQ_URL: z.string().min(1).optional(),
  /** The origin that browsers use, without a slash at the end. */
  AI_CHAT_ORIGIN: z.url(),
  /** Signs tokens and derives fences; at least 32 characters. */
  AI_CHAT_SECRET: z.string().min(32),
  AI_CHAT_LOCAL: z.stringbool().default(false),
  AWS_REGION: z.string().default('us-east-1'),
  DYNAMODB_ENDPOINT: z.url().optional(),
  SQS_ENDPOINT: z.url().optional(),
  S3_ENDPOINT: z.url().optional(),
  /** Where browsers reach the store; the same as S3_ENDPOINT where absent. */
  S3_PUBLIC_ENDPOINT: z.url().optional(),
})

export type Config = {
  stage: string
  table: string
  cmsTable: string | undefined
  bucket: string
  queueUrl: string
  dlqUrl: string | undefined
  origin: string
  secret: string
  /** True on the local stage: seeded users are listed, cookies need no TLS, `--now` is allowed. */
  isLocal: boolean
  region: string
  /** Of emulators; undefined means AWS itself. */
  endpoints: Record<'dynamodb' | 'sqs' | 's3' | 's3Public', string | undefined>
}

let parsed: Config | undefined

/** The configuration of this process. Throws when a variable is missing or wrong, naming it. */
export function config(): Config {
  parsed ??= read(process.env)
  return parsed
}

function read(source: NodeJS.ProcessEnv): Config {
  const result = Environment.safeParse(source)
  if (!result.success) throw new Error(`The environment is not complete: ${z.prettifyError(result.error)}`)
  const env = result.data
  return {
    stage: env.AI_CHAT_STAGE,
    table: env.AI_CHAT_TABLE,
    cmsTable: env.AI_CHAT_CMS_TABLE,
    bucket: env.AI_CHAT_BUCKET,
    queueUrl: env.AI_CHAT_QUEUE_URL,
    dlqUrl: env.AI_CHAT_DLQ_URL,
    origin: env.AI_CHAT_ORIGIN,
    secret: env.AI_CHAT_SECRET,
    isLocal: env.AI_CHAT_LOCAL,
    region: env.AWS_REGION,
    endpoints: {
      dynamodb: env.DYNAMODB_ENDPOINT,
      sqs: env.SQS_ENDPOINT,
      s3: env.S3_ENDPOINT,
      s3Public: env.S3_PUBLIC_ENDPOINT ?? env.S3_ENDPOINT,
    },
  }
}

/** A secret of the stage by the name that a setting gives it, from `AI_CHAT_SECRET_<NAME>`; undefined when not set. */
export function secret(name: string): string | undefined {
  return process.env[`AI_CHAT_SECRET_${name.toUpperCase().replace(/[^A-Z0-9]/g, '_')}`]
}
