import { expiryAttribute } from '../../../core/base/aws/indexes.ts'
import type { Inputs } from './mocks.ts'
import type { Synth } from './synth.ts'
import { wrongValues } from './values.ts'

/** What must hold for every stage, whatever it is made of. */

/** Everything about a stage that breaks a rule, in words; nothing for a good one. */
export function faults(synth: Synth): string[] {
  return [
    ...unfitQueue(synth),
    ...forgetfulTable(synth),
    ...openStore(synth),
    ...openRoles(synth),
    ...alwaysBilled(synth),
    ...openOrigins(synth),
    ...wrongValues(synth),
  ]
}

/** A message that comes back while its first consumer is still at work is done twice. */
function unfitQueue({ all, one }: Synth): string[] {
  const queue = one<Inputs & { redrivePolicy?: string }>('aws:sqs/queue:Queue', 'ProcessQueue')
  const found: string[] = []
  const { maxReceiveCount } = JSON.parse(queue.redrivePolicy ?? '{}')
  if (maxReceiveCount !== 5) found.push(`queue: dead after ${maxReceiveCount} receives`)
  for (const mapping of all('aws:lambda/eventSourceMapping:EventSourceMapping')) {
    const consumer = one('aws:lambda/function:Function', /^ProcessSubscriber/)
    const window = Number(mapping.maximumBatchingWindowInSeconds ?? 0)
    const least = 6 * Number(consumer.timeout) + window
    if (Number(queue.visibilityTimeoutSeconds) < least) found.push(`queue: visible again before ${least} s`)
    if (mapping.batchSize !== 1) found.push(`queue: ${mapping.batchSize} turns in one invocation`)
    if (![mapping.functionResponseTypes].flat().includes('ReportBatchItemFailures'))
      found.push('queue: a failed turn takes others with it')
    if (!mapping.scalingConfig) found.push('queue: no limit of turns at once')
  }
  return found
}

function forgetfulTable({ one }: Synth): string[] {
  const { ttl } = one<{ ttl?: { attributeName: string; enabled: boolean } }>(
    'aws:dynamodb/table:Table',
    'ChatTable',
  )
  return ttl?.enabled && ttl.attributeName === expiryAttribute ? [] : ['table: nothing ever expires']
}

/** Every page may download, for which it needs a signed address. */
function openStore({ all }: Synth): string[] {
  const rules = all('aws:s3/bucketCorsConfiguration:BucketCorsConfiguration').flatMap(
    ({ corsRules }) => corsRules as { allowedOrigins: string[]; allowedMethods: string[] }[],
  )
  const isOpen = rules.some(
    ({ allowedOrigins, allowedMethods }) =>
      allowedOrigins.includes('*') && allowedMethods.some((method) => method !== 'GET'),
  )
  return isOpen ? ['store: open to every page'] : []
}

/** Policies of AWS that a role may have: this one lets ECS fetch the image and write the log, before any code runs. */
const managed = new Set(['arn:aws:iam::aws:policy/service-role/AmazonECSTaskExecutionRolePolicy'])

/** Roles that may do more than the list of grants says. */
function openRoles(synth: Synth): string[] {
  const open: string[] = []
  for (const { type, name, inputs } of synth.resources) {
    if (type !== 'aws:iam/role:Role') continue
    for (const arn of (inputs.managedPolicyArns ?? []) as string[])
      if (!managed.has(arn)) open.push(`${name}: ${arn}`)
    for (const { Action, Resource } of synth.statements(name)) {
      for (const action of [Action].flat()) if (action.includes('*')) open.push(`${name}: ${action}`)
      if ([Resource].flat().includes('*')) open.push(`${name}: ${[Action].flat()} on everything`)
    }
  }
  return open
}

/** Types of resources that cost by the hour or the month whether or not anybody comes. */
const hourly =
  /natGateway|ec2\/eip:|ec2\/instance:|lb\/loadBalancer|ecs\/service|rds\/|elasticache|opensearch|provisionedConcurrency|vpcEndpoint|globalaccelerator|kinesis\/|msk\/|eks\/|wafv2|kms\/key|secretsmanager/i

/** The worker's tasks are the one thing that a stage may pay for without a user, where its deployment file says so. */
function alwaysBilled({ app, resources }: Synth): string[] {
  return resources
    .filter(({ type, inputs }) => hourly.test(type) || inputs.billingMode === 'PROVISIONED')
    .filter(({ type }) => !(app.stage === 'worker' && type === 'aws:ecs/service:Service'))
    .map(({ type, name }) => `cost: ${name} (${type}) is billed without a user`)
}

function openOrigins({ all }: Synth): string[] {
  const origins = all('aws:apigatewayv2/api:Api').flatMap(
    ({ corsConfiguration }) =>
      (corsConfiguration as { allowOrigins?: string[] } | undefined)?.allowOrigins ?? [],
  )
  return origins.includes('*') ? ['api: open to every page'] : []
}
