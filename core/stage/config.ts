import { Resource } from 'sst/resource'
import * as z from 'zod'
import { parsedJson } from '../json.ts'
import { secretName, secretVariable } from './secret-name.ts'

/**
 * What the environment says of the stage: names and addresses, no rules. A deployed stage links them instead, under the
 * same names (`infra/link.ts`). The only reader of both; parsed on first use, so that nothing is constructed at import.
 */
const Environment = () =>
  z.object({
    AI_CHAT_STAGE: z.string().min(1),
    AI_CHAT_TABLE: z.string().min(1),
    /** Absent where the CMS is elsewhere. */
    AI_CHAT_CMS_TABLE: z.string().min(1).optional(),
    /** Where a CMS elsewhere answers the bridge, and the id of the key that signs; the key is the secret `cms`. */
    AI_CHAT_CMS_URL: z.url().optional(),
    AI_CHAT_CMS_KEY: z.string().min(1).default('ai-chat'),
    AI_CHAT_BUCKET: z.string().min(1),
    AI_CHAT_QUEUE_URL: z.string().min(1),
    AI_CHAT_DLQ_URL: z.string().min(1).optional(),
    /** The origin that browsers use, without a slash at the end. */
    AI_CHAT_ORIGIN: z.url(),
    /** The topic of the alarms; absent where the stage has none. */
    AI_CHAT_ALARMS: z.string().min(1).optional(),
    /** By ids of models on Bedrock, the ARNs that they are asked by; JSON. */
    AI_CHAT_MODEL_PROFILES: z.string().default('{}').transform(parsedJson).pipe(Link),
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

const Link = z.record(z.string(), z.string())

export type Config = {
  stage: string
  table: string
  cmsTable: string | undefined
  /** Undefined where the reference CMS is used. */
  cms: { url: string; keyId: string } | undefined
  bucket: string
  queueUrl: string
  dlqUrl: string | undefined
  origin: string
  /** ARN of the topic of the alarms; undefined on the local stage. */
  alarms: string | undefined
  /** ARN of the stage's own profile by the id of a model on Bedrock, which is asked by it; none elsewhere. */
  modelProfiles: Record<string, string>
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
  parsed ??= read({ ...linked(), ...process.env })
  return parsed
}

function read(source: NodeJS.ProcessEnv): Config {
  // Once a process: generated code would not pay for itself.
  const result = Environment().safeParse(source, { jitless: true })
  if (!result.success) throw new Error(`The environment is not complete: ${z.prettifyError(result.error)}`)
  const env = result.data
  return {
    stage: env.AI_CHAT_STAGE,
    table: env.AI_CHAT_TABLE,
    cmsTable: env.AI_CHAT_CMS_TABLE,
    cms: env.AI_CHAT_CMS_URL ? { url: env.AI_CHAT_CMS_URL, keyId: env.AI_CHAT_CMS_KEY } : undefined,
    bucket: env.AI_CHAT_BUCKET,
    queueUrl: env.AI_CHAT_QUEUE_URL,
    dlqUrl: env.AI_CHAT_DLQ_URL,
    origin: env.AI_CHAT_ORIGIN,
    alarms: env.AI_CHAT_ALARMS,
    modelProfiles: env.AI_CHAT_MODEL_PROFILES,
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

/**
 * A secret of the stage by the name that a setting gives it: from `AI_CHAT_SECRET_<NAME>`, or the linked one of that
 * name; undefined when not set.
 */
export function secret(name: string): string | undefined {
  const variable = secretVariable(name)
  return process.env[variable] ?? linked()[variable] ?? link(secretName(name)).value
}

/** What SST linked to this process, under the names of the environment; nothing where SST did not start it. */
function linked(): Record<string, string | undefined> {
  const { value } = link('StageSecret')
  return { ...link('Stage'), ...(value && { AI_CHAT_SECRET: value }) }
}

function link(name: string): Record<string, string | undefined> {
  return name in Resource ? Link.parse(Reflect.get(Resource, name)) : {}
}
