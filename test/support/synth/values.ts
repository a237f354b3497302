import { build } from 'esbuild'
import { metrics } from '../../../core/base/metric/name.ts'
import { secretName } from '../../../core/base/secret-name.ts'
import type { Settings } from '../../../core/stage/settings/schema.ts'
import { memoryMegabytes, processTimeoutSeconds, requestTimeoutMs } from '../../../infra/limits.ts'
import { unencrypted } from './encryption.ts'
import type { Inputs } from './mocks.ts'
import type { Statement, Synth } from './synth.ts'

/** What the resources of a stage must say, compared by value: a name that is there may still hold the wrong thing. */

/** Every value of a stage that would make it fail in use, in words; nothing for a good one. */
export function wrongValues(synth: Synth): string[] {
  return [
    ...missingGrants(synth),
    ...wideResources(synth),
    ...deafAlarms(synth),
    ...silentAlarms(synth),
    ...unfitEdge(synth),
    ...unfitFunctions(synth),
    ...missingSecrets(synth),
    ...unencrypted(synth),
  ]
}

const visit = ['dynamodb:BatchGetItem', 'dynamodb:PutItem']
const act = [...visit, 'dynamodb:UpdateItem']
const query = 'dynamodb:Query'
const check = 'dynamodb:ConditionCheckItem'
const deleteItem = 'dynamodb:DeleteItem'
const deleteItems = 'dynamodb:BatchWriteItem'
const write = [query, 'dynamodb:PutItem', 'dynamodb:UpdateItem']
const consumer = /^(ProcessSubscriber\w+Role|WorkerTaskRole)$/

/** What each role cannot work without, by the end of the resource's ARN; ID is the name of app and stage. */
const needs: [role: RegExp, actions: string[], resource: string][] = [
  [/^(Status|Poll)Role$/, visit, 'table/ID-chattable'],
  [/^(Upload|Send|Conversations|Connections|Backend)Role$/, act, 'table/ID-chattable'],
  [/^(Status|Poll|Send|Conversations|Connections|Backend)Role$/, [query], 'table/ID-chattable'],
  [/^(Send|Conversations|Connections|Backend)Role$/, [deleteItem], 'table/ID-chattable'],
  [/^SendRole$/, [check], 'table/ID-chattable'],
  [/^BackendRole$/, [deleteItems], 'table/ID-chattable'],
  [
    /^(Upload|Send|Status|Poll|Conversations|Connections|Backend)Role$/,
    ['dynamodb:BatchGetItem'],
    'table/ID-cmstable',
  ],
  [/^(Send|Poll)Role$/, [query], 'table/ID-cmstable'],
  [/^(Conversations|Backend)Role$/, write, 'table/ID-cmstable'],
  [/^(Conversations|Backend)Role$/, [check], 'table/ID-cmstable'],
  [/^SendRole$/, ['sqs:SendMessage'], 'ID-processqueue'],
  [/^UploadRole$/, ['s3:PutObject', 's3:GetObject', 's3:DeleteObject'], 'ID-filesbucket/pending/*'],
  [/^UploadRole$/, ['s3:PutObject', 's3:GetObject'], 'ID-filesbucket/fileadmin/ai-chat/*'],
  [/^ConversationsRole$/, ['s3:PutObject', 's3:GetObject'], 'ID-filesbucket/exports/*'],
  [/^ConversationsRole$/, [query], 'table/ID-chattable/index/*'],
  [/^CleanupHandlerRole$/, [...act, query, deleteItem, deleteItems], 'table/ID-chattable'],
  [/^CleanupHandlerRole$/, [query], 'table/ID-chattable/index/*'],
  [/^CleanupHandlerRole$/, ['dynamodb:BatchGetItem', query, 'dynamodb:PutItem'], 'table/ID-cmstable'],
  [/^CleanupHandlerRole$/, ['sqs:SendMessage'], 'ID-processqueue'],
  [/^CleanupHandlerRole$/, ['s3:DeleteObject'], 'ID-filesbucket/pending/*'],
  [/^ApplyRole$/, ['dynamodb:PutItem'], 'table/ID-chattable'],
  [consumer, [...act, query, check, deleteItem], 'table/ID-chattable'],
  [consumer, [query], 'table/ID-chattable/index/*'],
  [consumer, ['dynamodb:BatchGetItem', ...write, check], 'table/ID-cmstable'],
  [consumer, ['s3:GetObject'], 'ID-filesbucket/fileadmin/*'],
  [consumer, ['s3:GetObject', 's3:PutObject'], 'ID-filesbucket/cache/*'],
  [consumer, ['sqs:SendMessage', 'sqs:ReceiveMessage', 'sqs:DeleteMessage'], 'ID-processqueue'],
]

function missingGrants({ app, resources, statements, all }: Synth): string[] {
  const roles = resources.filter(({ type }) => type === 'aws:iam/role:Role').map(({ name }) => name)
  const hasCms = all('aws:dynamodb/table:Table').length > 1
  return needs
    .filter(([, , resource]) => hasCms || !resource.includes('cmstable'))
    .flatMap(([role, actions, resource]) => {
      const named = roles.filter((name) => role.test(name))
      if (named.length === 0) return [`roles: none is called ${role}`]
      const end = resource.replace('ID', `${app.name}-${app.stage}`)
      return named.flatMap((name) =>
        actions
          .filter((action) => !statements(name).some((it) => allows(it, action, end)))
          .map((action) => `${name}: may not ${action} on ${resource}`),
      )
    })
}

function allows({ Effect, Action, Resource }: Statement, action: string, end: string): boolean {
  const isNamed = (arn: string) => arn.endsWith(`:${end}`) || arn.endsWith(`/${end}`)
  return Effect === 'Allow' && [Action].flat().includes(action) && [Resource].flat().some(isNamed)
}

/** Services whose grants name region and account; S3 has neither, models and logs are in regions that AWS chooses. */
const bound = /^arn:aws:(sqs|dynamodb|sns|lambda):/

function wideResources({ app, resources, statements }: Synth): string[] {
  const roles = resources.filter(({ type }) => type === 'aws:iam/role:Role')
  return roles.flatMap(({ name }) =>
    statements(name).flatMap(({ Resource }) =>
      [Resource].flat().flatMap((arn) => {
        const [, , service, region, account, ...rest] = arn.split(':')
        const of = rest.join(':')
        const isWide = bound.test(arn) && (region === '*' || account === '*' || of.startsWith('*'))
        const isForeign = service === 's3' && !of.startsWith(`${app.name}-${app.stage}-`)
        return isWide || isForeign ? [`${name}: ${arn} is more than the stage`] : []
      }),
    ),
  )
}

/** What an alarm must watch to ring while something can still be done: its metric, and the threshold at most. */
const watched: Record<string, [metric: string, most: number]> = {
  DeadTurns: ['ApproximateNumberOfMessagesVisible', 0],
  DeadCleanups: ['ApproximateNumberOfMessagesVisible', 0],
  StuckTurns: [metrics.turnsStuck, 0],
  WaitingTurns: [metrics.queueWaitMs, 120_000],
  RequestErrors: ['5xx', 5],
  CleanupErrors: ['Errors', 2],
  CleanupSilent: ['Invocations', 1],
}

/** The same of the alarms that a stage has where it asks for them. */
const asked: typeof watched = {
  CanaryFailed: [metrics.canaryFailed, 0],
  CanarySilent: [metrics.canarySucceeded, 1],
  CanaryTurnsSilent: [metrics.canaryTurnsSucceeded, 1],
  StageTokens: [metrics.stageTokensPercent, 80],
}

function deafAlarms({ resources }: Synth): string[] {
  const alarms = new Map(
    resources.filter(({ type }) => type.endsWith(':MetricAlarm')).map(({ name, inputs }) => [name, inputs]),
  )
  const silent = [...alarms].filter(([name]) => name.endsWith('Silent'))
  const failed = JSON.stringify(alarms.get('FailedTurns')?.metricQueries ?? '')
  return [
    ...Object.entries({ ...watched, ...askedOf(alarms) }).flatMap(([name, [metric, most]]) => {
      const alarm = alarms.get(name) ?? {}
      const { metricName, dimensions } = firstMetric(alarm)
      const { threshold } = alarm
      return [
        ...(metricName === metric ? [] : [`alarm ${name}: watches ${metricName}`]),
        ...(Number(threshold) <= most ? [] : [`alarm ${name}: rings above ${threshold}`]),
        ...(dimensions ? [] : [`alarm ${name}: of no resource`]),
      ]
    }),
    ...[...alarms].flatMap(([name, it]) => (it.alarmActions ? [] : [`alarm ${name}: tells no topic`])),
    ...silent.flatMap(([name, it]) =>
      it.treatMissingData === 'breaching' ? [] : [`alarm ${name}: takes silence for health`],
    ),
    ...[metrics.turnsFailed, metrics.turnsDone].flatMap((name) =>
      failed.includes(`"${name}"`) ? [] : [`alarm FailedTurns: does not count ${name}`],
    ),
  ]
}

/** The metric of an alarm; of an alarm with metric math, the first one that it queries. */
function firstMetric(alarm: Inputs): Inputs {
  const [query] = (alarm.metricQueries ?? []) as { metric?: Inputs }[]
  return query?.metric ?? alarm
}

const askedOf = (alarms: Map<string, Inputs>) =>
  Object.fromEntries(Object.entries(asked).filter(([name]) => alarms.has(name)))

/** What keeps an alarm from its reader: no recipient, or a topic that its senders may not publish to. */
function silentAlarms({ all }: Synth): string[] {
  const policy = JSON.stringify(all('aws:sns/topicPolicy:TopicPolicy').map((it) => it.policy))
  const budgets = all('aws:budgets/budget:Budget').map(({ notifications }) => notifications)
  const untold = budgets.flat().filter((one) => !(one as Inputs).subscriberSnsTopicArns)
  return [
    ...(all('aws:sns/topicSubscription:TopicSubscription').length > 0 ? [] : ['alarms: no recipient']),
    ...['cloudwatch', 'budgets'].flatMap((service) =>
      policy.includes(`${service}.amazonaws.com`) ? [] : [`alarms: ${service} may not publish`],
    ),
    ...(policy.includes('aws:SourceAccount') ? [] : ['alarms: every account may publish']),
    ...(untold.length > 0 ? ['budget: tells no topic'] : []),
  ]
}

/** The gateway and the Router must let through what the functions can answer, under the stage's own name. */
function unfitEdge({ all, builds, outputs }: Synth): string[] {
  const found: string[] = []
  for (const { defaultRouteSettings } of all('aws:apigatewayv2/stage:Stage')) {
    const { throttlingRateLimit: rate = 0, throttlingBurstLimit: burst = 0 } = defaultRouteSettings as Inputs
    if (Number(rate) < 50 || Number(burst) < Number(rate))
      found.push(`gateway: ${rate} requests a second, ${burst} at once`)
  }
  const keys = JSON.stringify(all('pulumi-nodejs:dynamic:Resource').map(({ entries }) => entries ?? null))
  const [, seconds] = /readTimeout\W+(\d+)/.exec(keys) ?? []
  if (Number(seconds ?? 0) < requestTimeoutMs / 1000) found.push(`router: gives up after ${seconds} s`)
  const { host } = new URL(String(outputs.backend))
  for (const { aliases = [], customErrorResponses = [] } of all('aws:cloudfront/distribution:Distribution')) {
    if (!host.endsWith('.cloudfront.net') && ![aliases].flat().includes(host))
      found.push(`router: does not answer for ${host}`)
    if ((customErrorResponses as unknown[]).length === 0) found.push('router: keeps errors for all users')
  }
  for (const { handler, links } of builds)
    if ((links.Stage as Inputs | undefined)?.AI_CHAT_ORIGIN !== `https://${host}`)
      found.push(`${handler}: is given another origin than ${host}`)
  return found
}

/** What the functions need of Lambda: time, memory, and what is packed beside the code of the consumer. */
function unfitFunctions({ all, builds }: Synth): string[] {
  const found: string[] = []
  for (const { name, timeout, memorySize } of all('aws:lambda/function:Function')) {
    const isConsumer = String(name).endsWith('-process')
    const isWeb = /-(upload|send|status|poll|conversations|connections|mcp|backend)$/.test(String(name))
    if (isWeb && Number(timeout) > requestTimeoutMs / 1000) found.push(`${name}: outlasts its caller`)
    if (isConsumer && timeout !== processTimeoutSeconds) found.push(`${name}: has ${timeout} s for a turn`)
    if (isConsumer && Number(memorySize) < memoryMegabytes.process)
      found.push(`${name}: has ${memorySize} MB`)
  }
  const process = builds.find(({ handler }) => handler === 'functions/process.handler')
  if (!process) return found
  if (!process.properties.install?.sharp) found.push('process: sharp is not installed')
  if (!process.files.includes('sandbox-child.mjs')) found.push('process: no sandbox beside it')
  return found
}

/** The secrets that the settings and the CMS elsewhere need, in each function that uses them, and no more in the canary. */
function missingSecrets({ builds, one }: Synth): string[] {
  const { input } = one<{ input: string }>('aws:lambda/invocation:Invocation', 'Settings')
  const { providers, exchange } = JSON.parse(input) as Settings
  const keys = providers.filter(({ active }) => active).map(({ secret }) => secret)
  return builds.flatMap(({ handler, links }) => {
    const isCanary = handler === 'functions/canary.handler'
    const wanted = [
      ...(isCanary ? ['canary'] : ['stage', 'router']),
      ...((links.Stage as Inputs | undefined)?.AI_CHAT_CMS_URL && !isCanary ? ['cms'] : []),
      ...(handler === 'functions/process.handler' ? keys : []),
      ...(handler === 'functions/backend.handler' ? [exchange?.key] : []),
    ]
    const missing = wanted.flatMap((name) =>
      name && !(secretName(name) in links) ? [`${handler}: the secret ${name} is not linked`] : [],
    )
    const needless = Object.keys(links).filter((name) => !['Stage', 'CanarySecret'].includes(name))
    return [
      ...missing,
      ...(isCanary ? needless.map((name) => `${handler}: ${name} is more than it needs`) : []),
    ]
  })
}

/** Modules that the worker and its bundling import and the image's build would lack: not copied, or kept from it. */
export async function missingInImage(dockerfile: string, ignored: string): Promise<string[]> {
  const { metafile } = await build({
    entryPoints: ['scripts/worker.ts', 'scripts/bundle.ts'],
    bundle: true,
    platform: 'node',
    format: 'esm',
    packages: 'external',
    write: false,
    outdir: 'unwritten',
    metafile: true,
    logLevel: 'error',
  })
  const copied = [...dockerfile.matchAll(/^COPY (.+) \S+$/gm)].flatMap(([, from = '']) => from.split(' '))
  const sent = [...ignored.matchAll(/^!(\S+)$/gm)].map(([, path = '']) => path)
  const holds = (list: string[], path: string) =>
    list.some((one) => path === one || path.startsWith(`${one}/`))
  return Object.keys(metafile.inputs).filter((path) => !holds(copied, path) || !holds(sent, path))
}
