import { existsSync, readFileSync } from 'node:fs'
import * as z from 'zod'
import { UserId } from '../core/cms/user-number/schema.ts'
import { RecordId } from '../core/conversation/schema.ts'
import { type Checked, check, type Mistake, merge, mistakeLines } from '../core/stage/settings/check.ts'
import { mistakesOfDeploy } from '../core/stage/settings/meaning.ts'
import type { Settings } from '../core/stage/settings/schema.ts'
import { tools } from '../core/tool/tools.ts'
import { usualLoad } from './limits.ts'

/** The limits of the load on a stage. */
const LimitSettings = z.strictObject({
  /** Maximum number of turns that run at once; AWS requires at least 2 for the consumer of a queue. */
  turns: z.int().min(2).max(1_000),
  /** Requests per second of all users together; the gateway answers 429 to further requests. */
  requestsPerSecond: z.int().min(1).max(10_000),
  /** Number of requests that the gateway accepts at one moment, above `requestsPerSecond`. */
  burst: z.int().min(1).max(5_000),
})

/** Scheduled visits to the stage. The canary is a user of the chat, and may change one page. */
const Canary = z.strictObject({
  /**
   * Minutes between two visits that call no model. If no visit succeeds for three times this interval, an alarm is
   * raised.
   */
  everyMinutes: z.int().min(5).max(360).default(5),
  /** Hours between two visits with turns. Each such visit calls the model three times. */
  turnsEveryHours: z.int().min(1).max(24).default(6),
  /**
   * The user's name in the reference CMS, or the user's id in a connected CMS. In the reference CMS, the secret
   * `canary` is the user's password.
   */
  user: z.union([z.string().min(1), z.int().positive()]),
  /** The page that the canary asks the model to change. The canary then declines the change. */
  page: RecordId,
})

/**
 * The deployment of a stage, from `infra/deployments/<stage>.json`; its settings are in another file. A stage without
 * files of its own, such as that of one developer, uses the files of `dev`.
 */
export const Deployment = z
  .strictObject({
    /** True: the data is protected, restorable, and kept when the stage is removed, and alarms have a recipient. */
    permanent: z.boolean(),
    /**
     * `exec`: the queue starts a function for each turn. `worker`: Fargate tasks run the turns, and cost money also
     * while no turn runs.
     */
    processing: z.enum(['exec', 'worker']),
    /** The stage's own domain name, with a hosted zone in Route 53; null: the name that CloudFront gives. */
    domain: z.string().min(1).nullable(),
    /**
     * The address of a connected CMS that implements the bridge protocol, and the id of the signing key; null: the
     * reference CMS.
     */
    cms: z.strictObject({ url: z.url(), key: z.string().regex(/^[A-Za-z0-9_-]{1,64}$/) }).nullable(),
    /** Origins of pages that may show the backend in a frame. */
    frameAncestors: z.array(z.url()),
    /** The address that gets the alarms. `none` or null: no address; a permanent stage may not have null. */
    alarmEmail: z.union([z.email(), z.literal('none')]).nullable(),
    /**
     * The monthly budget in US dollars; null: no budget. Actual costs of 50, 80 and 100 % raise an alarm, and so does a
     * forecast above the budget.
     */
    monthlyBudgetDollars: z.number().positive().nullable(),
    limits: LimitSettings.default(usualLoad),
    /** The canary, which checks the stage by schedule and has its own alarms; null: no canary. */
    canary: Canary.nullable().default(null),
    /**
     * True: the stage has a dashboard in CloudWatch. Three dashboards of an account are free; each further dashboard
     * costs $3 a month.
     */
    dashboard: z.boolean().default(false),
    /**
     * True: the stage calls each model on Bedrock through a profile of its own. The bill counts the cost by the
     * profile's tags. False: the stage calls each model by its id, for an account that may not create profiles.
     */
    modelProfiles: z.boolean().default(true),
    /** The region of the stage; null: `AWS_REGION` of the person who deploys, or else us-east-1. */
    region: z
      .string()
      .regex(/^[a-z]{2}(-[a-z]+)+-\d$/, 'a region such as eu-central-1')
      .nullable()
      .default(null),
    /** Tags of every resource, in addition to the tags of SST. */
    tags: z.record(z.string().min(1), z.string()).default({}),
    /** ARN of a web ACL (AWS WAF, region us-east-1) in front of the stage; null: no web ACL. */
    webAclArn: z.string().startsWith('arn:aws:wafv2:us-east-1:').nullable().default(null),
    /** ARN of a policy that limits the permissions of every role of the stage; null: no permissions boundary. */
    permissionsBoundary: z.string().startsWith('arn:aws:iam:').nullable().default(null),
    /**
     * ARN of a KMS key that encrypts the data of the stage; null: the keys of AWS. An alias is refused, because a role
     * accepts only the ARN of a key.
     */
    kmsKeyArn: z
      .string()
      .regex(/^arn:aws:kms:[a-z0-9-]+:\d{12}:key\/[\w-]+$/, 'the ARN of a KMS key, no alias')
      .nullable()
      .default(null),
  })
  .refine(
    ({ canary, cms }) => canary === null || (cms ? UserId : z.string()).safeParse(canary.user).success,
    {
      path: ['canary', 'user'],
      error: 'a name where the CMS is the reference CMS, the id of a user where it is elsewhere',
    },
  )
  .refine(({ permanent, alarmEmail }) => !permanent || alarmEmail !== null, {
    path: ['alarmEmail'],
    error: 'a permanent stage needs a recipient for its alarms: an e-mail address, or "none"',
  })
export type Deployment = z.infer<typeof Deployment>

/**
 * Typical names of stages whose data has to be kept. Such a stage must have its own deployment and settings files, and
 * not use those of `dev`.
 */
const permanentName = /^(prod|live|stag|main|master|release|qa|uat)/i

/** Reads the deployment of a stage, from the root of the project. Throws with the path of each mistake. */
export function readDeployment(stage: string): Deployment {
  const file = fileOf('infra/deployments', stage)
  const parsed = Deployment.safeParse(JSON.parse(readFileSync(file, 'utf8')))
  if (parsed.success) return parsed.data
  throw new Error(`${file} is not valid:\n${z.prettifyError(parsed.error)}`)
}

/**
 * Reads the settings and AI configuration of a stage, from the root of the project: merges the stage's own file over
 * `base.json`. Throws with the path of each mistake, so that a deploy stops before it creates anything.
 */
export function readSettings(stage: string): Settings {
  const base = valid(baseFile, check(JSON.parse(readFileSync(baseFile, 'utf8'))))
  const file = fileOf('infra/stages', stage)
  const settings = valid(file, merge(base, JSON.parse(readFileSync(file, 'utf8'))))
  const mistakes = mistakesOfDeploy(settings, tools)
  if (mistakes.length > 0) throw invalid(file, mistakes)
  return settings
}

const baseFile = 'infra/stages/base.json'

function valid(file: string, { settings, mistakes }: Checked): Settings {
  if (settings) return settings
  throw invalid(file, mistakes)
}

const invalid = (file: string, mistakes: Mistake[]) =>
  new Error(`${file} is not valid:\n${mistakeLines(mistakes)}`)

function fileOf(folder: string, stage: string): string {
  if (!/^[a-z][a-z0-9-]*$/i.test(stage))
    throw new Error(`"${stage}" is no name of a stage: a letter, then letters, digits and hyphens.`)
  const own = `${folder}/${stage}.json`
  if (existsSync(own)) return own
  if (permanentName.test(stage))
    throw new Error(`The stage ${stage} needs ${own}: without it, its data would be made to be thrown away.`)
  return `${folder}/dev.json`
}
