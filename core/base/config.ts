import { Resource } from 'sst/resource'
import { isRecord, parsedJson } from './json.ts'
import { secretName, secretVariable } from './secret-name.ts'

/**
 * The configuration of a stage: names and URLs, no rules. It comes from environment variables, and on a deployed stage
 * from linked values of the same names (`infra/link.ts`). Only this file reads these sources, on first use, so that an
 * import constructs nothing. It uses no schema: at each cold start, building a schema would take longer than all
 * checks.
 */

export type Config = {
  stage: string
  table: string
  /** The table of the reference CMS; undefined if the stage uses a connected CMS. */
  cmsTable: string | undefined
  /** The connected CMS; undefined if the stage uses the reference CMS. */
  cms: { url: string; keyId: string } | undefined
  bucket: string
  queueUrl: string
  dlqUrl: string | undefined
  /** The origin that browsers use, without a trailing slash. */
  origin: string
  /** ARNs of the topics of the alarms; a topic of its own is in the region of CloudFront. Empty on the local stage. */
  alarms: string[]
  /** ARN of the stage's own inference profile for each Bedrock model id; model calls use it. Empty without profiles. */
  modelProfiles: Record<string, string>
  /**
   * The secret that signs tokens and from which the fences are derived. Throws if the process has no secret of the
   * stage, as in the canary.
   */
  readonly secret: string
  /** True on the local stage: seeded users are listed, cookies need no TLS, `--now` is allowed. */
  isLocal: boolean
  region: string
  /** URLs of emulators; undefined means AWS itself. */
  endpoints: Record<'dynamodb' | 'sqs' | 's3' | 's3Public', string | undefined>
}

let parsed: Config | undefined

/**
 * Returns the configuration of this process. Throws an error that names the variable if a variable is missing or wrong.
 */
export function config(): Config {
  parsed ??= read({ ...linked(), ...process.env })
  return parsed
}

/** Minimum length of the secret that signs tokens and derives fences, in characters. */
const leastSecretLength = 32

function read(source: NodeJS.ProcessEnv): Config {
  const wrong: string[] = []
  const maybe = (
    name: string,
    isFit: (text: string) => boolean = (text) => text !== '',
  ): string | undefined => {
    const value = source[name]
    if (value === undefined || isFit(value)) return value
    wrong.push(name)
    return undefined
  }
  const needed = (name: string, isFit?: (text: string) => boolean): string => {
    if (source[name] === undefined) wrong.push(name)
    return maybe(name, isFit) ?? ''
  }
  const cmsUrl = maybe('AI_CHAT_CMS_URL', URL.canParse)
  const secret = maybe('AI_CHAT_SECRET', ({ length }) => length >= leastSecretLength)
  const s3 = maybe('S3_ENDPOINT', URL.canParse)
  const config: Config = {
    stage: needed('AI_CHAT_STAGE'),
    table: needed('AI_CHAT_TABLE'),
    cmsTable: maybe('AI_CHAT_CMS_TABLE'),
    cms: cmsUrl ? { url: cmsUrl, keyId: maybe('AI_CHAT_CMS_KEY') ?? 'ai-chat' } : undefined,
    bucket: needed('AI_CHAT_BUCKET'),
    queueUrl: needed('AI_CHAT_QUEUE_URL'),
    dlqUrl: maybe('AI_CHAT_DLQ_URL'),
    origin: needed('AI_CHAT_ORIGIN', URL.canParse),
    alarms: maybe('AI_CHAT_ALARMS')?.split(' ') ?? [],
    modelProfiles: texts(parsedJson(maybe('AI_CHAT_MODEL_PROFILES', isTexts) ?? '{}')) ?? {},
    get secret() {
      if (secret === undefined) throw new Error('AI_CHAT_SECRET is not set.')
      return secret
    },
    isLocal: maybe('AI_CHAT_LOCAL', (text) => /^(true|false)$/.test(text)) === 'true',
    region: maybe('AWS_REGION') ?? 'us-east-1',
    endpoints: {
      dynamodb: maybe('DYNAMODB_ENDPOINT', URL.canParse),
      sqs: maybe('SQS_ENDPOINT', URL.canParse),
      s3,
      s3Public: maybe('S3_PUBLIC_ENDPOINT', URL.canParse) ?? s3,
    },
  }
  if (wrong.length > 0)
    throw new Error(`The environment is not complete. Missing or wrong: ${[...new Set(wrong)].join(', ')}`)
  return config
}

/** Returns the value if it is an object of texts; else undefined. */
function texts(value: unknown): Record<string, string> | undefined {
  if (!isRecord(value)) return undefined
  return Object.values(value).every((text) => typeof text === 'string')
    ? (value as Record<string, string>)
    : undefined
}

const isTexts = (text: string) => texts(parsedJson(text)) !== undefined

/**
 * Returns a secret of the stage by its name in the settings: the variable `AI_CHAT_SECRET_<NAME>`, or else the linked
 * secret of that name. Returns undefined if neither is set.
 */
export function secret(name: string): string | undefined {
  const variable = secretVariable(name)
  return process.env[variable] ?? linked()[variable] ?? link(secretName(name)).value
}

/** Returns the stage that this process belongs to; undefined if neither the environment nor a link names it. */
export const stageHere = (): string | undefined => ({ ...linked(), ...process.env }).AI_CHAT_STAGE

/** Returns the values that SST linked to this process, by environment variable; empty if SST did not start it. */
function linked(): Record<string, string | undefined> {
  const { value } = link('StageSecret')
  return { ...link('Stage'), ...(value && { AI_CHAT_SECRET: value }) }
}

function link(name: string): Record<string, string | undefined> {
  const values = name in Resource ? texts(Reflect.get(Resource, name)) : {}
  if (!values) throw new Error(`The link ${name} holds more than texts.`)
  return values
}
