import { beforeAll, describe, expect, test } from 'vitest'
import { withEverything } from '../../support/synth/everything.ts'
import { type Mistake, waves } from '../../support/synth/mistakes.ts'
import { changes, linesOf } from '../../support/synth/plan.ts'
import { faults } from '../../support/synth/rules.ts'
import { type Own, type Synth, synth } from '../../support/synth/synth.ts'

/**
 * Mistakes as people make them, planted into the program of a stage: all pass the compiler. Each names what catches it:
 * a rule in words, or the line of the accepted plan that changes (`- ` the old value, `+ ` the new one).
 */
const inProduction: Mistake[] = [
  // Figures.
  [
    'visibility of five timeouts',
    'infra/limits.ts',
    '6 * processTimeoutSeconds',
    '5 * processTimeoutSeconds',
    'queue: visible again before',
  ],
  [
    'a minute for a turn',
    'infra/limits.ts',
    'processTimeoutSeconds = 900',
    'processTimeoutSeconds = 60',
    '+ lambda.Function ProcessSubscriberFunctionFunction timeout: 60',
  ],
  [
    'functions that outlive the gateway',
    'infra/limits.ts',
    'requestTimeoutMs = 29_000',
    'requestTimeoutMs = 45_000',
    '+ lambda.Function SendFunction timeout: 45',
  ],
  [
    'dead letters for a day',
    'infra/limits.ts',
    'dead: 14 * 86_400',
    'dead: 86_400',
    '+ sqs.Queue ProcessDeadQueue messageRetentionSeconds: 86400',
  ],
  [
    'web functions with 128 MB',
    'infra/limits.ts',
    'web: 512',
    'web: 128',
    '+ lambda.Function PollFunction memorySize: 128',
  ],
  [
    'a canary of ten seconds',
    'infra/limits.ts',
    'canaryTimeoutSeconds = 300',
    'canaryTimeoutSeconds = 10',
    '+ lambda.Function CanaryHandlerFunction timeout: 10',
  ],
  ['two receives', 'infra/queue.ts', 'retry: maxReceiveCount', 'retry: 2', 'dead after 2 receives'],
  [
    'queues without encryption',
    'infra/queue.ts',
    'sqsManagedSseEnabled: true',
    'sqsManagedSseEnabled: false',
    '+ sqs.Queue ProcessQueue sqsManagedSseEnabled: false',
    'usual',
  ],
  // The consumer.
  ['a batch of ten', 'infra/process.ts', 'size: 1,', 'size: 10,', '10 turns in one invocation'],
  ['no partial answers', 'infra/process.ts', ', partialResponses: true', '', 'takes others with it'],
  [
    'a filter that matches no message',
    'infra/process.ts',
    'batch: {',
    "filters: [{ body: { turn: ['none'] } }], batch: {",
    '+ lambda.EventSourceMapping ProcessSubscriberEventSourceMapping filterCriteria',
  ],
  [
    'no room for a turn',
    'infra/process.ts',
    "handler: 'functions/process.handler',",
    "handler: 'functions/process.handler', concurrency: { reserved: 0 },",
    '+ lambda.Function ProcessSubscriberFunctionFunction reservedConcurrentExecutions: 0',
  ],
  [
    'a consumer that is switched off',
    'infra/process.ts',
    'eventSourceMapping: {',
    'eventSourceMapping: { enabled: false,',
    '+ lambda.EventSourceMapping ProcessSubscriberEventSourceMapping enabled: false',
  ],
  [
    'a thousand turns at once',
    'infra/process.ts',
    'maximumConcurrency: deployment.limits.turns',
    'maximumConcurrency: 1_000',
    '+ lambda.EventSourceMapping ProcessSubscriberEventSourceMapping scalingConfig.maximumConcurrency: 1000',
  ],
  // Files and tables.
  [
    'old versions for ten years',
    'infra/bucket.ts',
    'restorableDays = 36',
    'restorableDays = 3650',
    'noncurrentVersionExpiration.noncurrentDays: 3650',
  ],
  [
    'no versions',
    'infra/bucket.ts',
    'versioning: isPermanent',
    'versioning: false',
    '- s3.BucketVersioning FilesVersioning versioningConfiguration.status: Enabled',
  ],
  [
    'files that go with the stage',
    'infra/bucket.ts',
    'forceDestroy: !isPermanent',
    'forceDestroy: isPermanent',
    '+ s3.Bucket FilesBucket forceDestroy: true',
  ],
  [
    'exports for a hundred days',
    'infra/bucket.ts',
    "expiresIn: '1 day'",
    "expiresIn: '100 days'",
    'expiration.days: 100',
  ],
  ['no expiry', 'infra/table.ts', 'ttl: expiryAttribute', 'ttl: undefined', 'nothing ever expires'],
  [
    'a table that anybody may delete',
    'infra/table.ts',
    'deletionProtection: isPermanent',
    'deletionProtection: false',
    '- dynamodb.Table ChatTable deletionProtectionEnabled: true',
  ],
  [
    'no way back to yesterday',
    'infra/table.ts',
    'pointInTimeRecovery: { enabled: isPermanent }',
    'pointInTimeRecovery: { enabled: false }',
    '+ dynamodb.Table ChatTable pointInTimeRecovery.enabled: false',
  ],
  [
    'indexes that copy each item',
    'infra/table.ts',
    "projection: 'keys-only'",
    "projection: 'all'",
    'projectionType: ALL',
  ],
  // Doors.
  [
    'an open store',
    'infra/api.ts',
    'allowedOrigins: [origin, ...settings.embedOrigins]',
    "allowedOrigins: ['*']",
    'store: open to every page',
  ],
  [
    'an open gateway',
    'infra/api.ts',
    'embedOrigins.length > 0 && {',
    "{ allowOrigins: ['*'] } || {",
    'api: open to every page',
  ],
  [
    'a gateway closed to embedding pages',
    'infra/api.ts',
    'embedOrigins.length > 0 && {',
    'embedOrigins.length > 99 && {',
    '- apigatewayv2.Api ApiApi corsConfiguration.allowOrigins.0',
  ],
  [
    'pages that may write into the store',
    'infra/api.ts',
    "allowedMethods: ['GET']",
    "allowedMethods: ['GET', 'PUT', 'DELETE']",
    '+ s3.BucketCorsConfiguration FilesCors corsRules.1.allowedMethods.2: DELETE',
  ],
  [
    'one request a second',
    'infra/api.ts',
    'throttlingRateLimit: deployment.limits.requestsPerSecond',
    'throttlingRateLimit: 1',
    '+ apigatewayv2.Stage ApiStage defaultRouteSettings.throttlingRateLimit: 1',
  ],
  [
    'an address that nobody knows at the wrong function',
    'infra/api.ts',
    "api.route('$default', functions.backend.arn)",
    "api.route('$default', functions.poll.arn)",
    '+ route $default: arn:aws:lambda:us-east-1:123456789012:function:ai-chat-STAGE-pollfunction',
  ],
  [
    'answers that the edge keeps',
    'infra/router.ts',
    'responseHeadersPolicyId: headers.id,',
    "responseHeadersPolicyId: headers.id, cachePolicyId: '658327ea-f89d-4fab-a63d-7e88639e58f6',",
    '+ cloudfront.Distribution RouterCdnDistribution defaultCacheBehavior.cachePolicyId: 658327ea',
  ],
  [
    'a firewall that is not attached',
    'infra/router.ts',
    'distribution: { webAclId: webAclArn }',
    'distribution: {}',
    '- cloudfront.Distribution RouterCdnDistribution webAclId: ',
  ],
  [
    'errors that the edge keeps',
    'infra/router.ts',
    'errorCachingMinTtl: 0',
    'errorCachingMinTtl: 10',
    '+ cloudfront.Distribution RouterCdnDistribution customErrorResponses.0.errorCachingMinTtl: 10',
  ],
  [
    'no nosniff',
    'infra/router.ts',
    'contentTypeOptions: { override: true },',
    '',
    '- cloudfront.ResponseHeadersPolicy Headers securityHeadersConfig.contentTypeOptions.override: true',
  ],
  [
    'addresses told to other sites',
    'infra/router.ts',
    "referrerPolicy: 'same-origin'",
    "referrerPolicy: 'unsafe-url'",
    '+ cloudfront.ResponseHeadersPolicy Headers securityHeadersConfig.referrerPolicy.referrerPolicy: unsafe-url',
  ],
  [
    'HTTPS for a minute',
    'infra/headers.ts',
    'strictTransportSeconds = 63_072_000',
    'strictTransportSeconds = 60',
    'strictTransportSecurity.accessControlMaxAgeSec: 60',
  ],
  [
    'scripts in the page',
    'infra/headers.ts',
    "'script-src': \"'self'\"",
    "'script-src': \"'self' 'unsafe-inline'\"",
    "script-src 'self' 'unsafe-inline'",
  ],
  [
    'a frame on any site',
    'infra/headers.ts',
    "frameAncestors.length > 0 ? frameAncestors.join(' ') : \"'none'\"",
    "'*'",
    'frame-ancestors *',
  ],
  // Pages.
  [
    'a start page for a year',
    'infra/web.ts',
    "cacheControl: 'no-cache'",
    "cacheControl: 'public, max-age=31536000, immutable'",
    '+ page *: public, max-age=31536000, immutable',
  ],
  [
    'parts of open tabs removed by a deploy',
    'infra/web.ts',
    'purge: false',
    'purge: true',
    '+ page assets/*: public, max-age=31536000, immutable, purged',
  ],
  [
    'old parts removed each minute',
    'infra/web.ts',
    "schedule: 'rate(1 day)'",
    "schedule: 'rate(1 minute)'",
    '+ scheduler.Schedule RetireSchedule scheduleExpression: rate(1 minute)',
  ],
  [
    'pages open to any site',
    'infra/web.ts',
    'assets: { cors: false }',
    'assets: {}',
    '+ s3.BucketCorsConfiguration WebAssetsCors',
  ],
  // Cleanup.
  [
    'cleanup each hour',
    'infra/cleanup.ts',
    "schedule: 'rate(1 minute)'",
    "schedule: 'rate(1 hour)'",
    '+ scheduler.Schedule CleanupSchedule scheduleExpression: rate(1 hour)',
  ],
  [
    'cleanup of five seconds',
    'infra/cleanup.ts',
    "timeout: '55 seconds'",
    "timeout: '5 seconds'",
    '+ lambda.Function CleanupHandlerFunction timeout: 5',
  ],
  [
    'cleanup that Lambda repeats',
    'infra/cleanup.ts',
    'retries: 0,\n    transform',
    'retries: 2,\n    transform',
    'CleanupHandlerEventInvokeConfig maximumRetryAttempts: 2',
  ],
  [
    'no place for lost runs',
    'infra/cleanup.ts',
    'dlq: deadCleanup.arn,',
    '',
    '- scheduler.Schedule CleanupSchedule target.deadLetterConfig.arn',
  ],
  [
    'runs of six hours ago',
    'infra/cleanup.ts',
    'staleSeconds = 60',
    'staleSeconds = 21_600',
    'maximumEventAgeInSeconds: 21600',
  ],
  // Rights.
  [
    'a linked table',
    'infra/link.ts',
    'export const shared = [',
    'export const shared = [table, ',
    'SendRole: dynamodb:*',
  ],
  [
    'all resources',
    'infra/permission.ts',
    "actions: ['s3:ListBucket'], resources: [bucket.arn]",
    "actions: ['s3:ListBucket'], resources: ['*']",
    'UploadRole: s3:ListBucket on everything',
  ],
  [
    'cleanup of every file',
    'infra/permission.ts',
    "files('fileadmin/ai-chat', 's3:DeleteObject')",
    "files('*', 's3:DeleteObject')",
    'ai-chat-STAGE-filesbucket/*/*',
  ],
  [
    'models by the end of their names',
    'infra/permission.ts',
    'foundation-model/$',
    'foundation-model/*$',
    'foundation-model/*',
  ],
  [
    'an audit that may be changed',
    'infra/permission.ts',
    "effect: 'deny',",
    "effect: 'allow',",
    '- iam.Role SendRole inlinePolicies.0.policy.Statement.',
  ],
  [
    'a poll that writes',
    'infra/permission.ts',
    "poll: [...visit, chat('dynamodb:Query')",
    "poll: [...visit, act, chat('dynamodb:Query')",
    '+ iam.Role PollRole inlinePolicies.0.policy.Statement.',
  ],
  [
    'the log policy of AWS',
    'infra/function.ts',
    'role: { managedPolicyArns: [] }',
    'role: {}',
    'AWSLambdaBasicExecutionRole',
  ],
  [
    'logs of other functions',
    'infra/function.ts',
    'log-group:/aws/lambda/$',
    'log-group:*$',
    'log-group:*ai-chat',
  ],
  [
    'functions for another processor',
    'infra/function.ts',
    "architecture: 'arm64'",
    "architecture: 'x86_64'",
    '+ lambda.Function SendFunction architectures.0: x86_64',
  ],
  [
    'a silent log',
    'infra/function.ts',
    'nodejs: bundling,',
    "nodejs: bundling, environment: { POWERTOOLS_LOG_LEVEL: 'CRITICAL' },",
    '+ lambda.Function SendFunction environment.variables.POWERTOOLS_LOG_LEVEL: CRITICAL',
  ],
  [
    'logs for a day',
    'infra/stage.ts',
    "'1 month'",
    "'1 day'",
    '+ cloudwatch.LogGroup SendLogGroup retentionInDays: 1',
  ],
  [
    'a canary that reads files',
    'infra/canary.ts',
    'permissions: [],',
    "permissions: [{ actions: ['s3:GetObject'], resources: ['*'] }],",
    'CanaryHandlerRole: s3:GetObject on everything',
  ],
  [
    'a canary each twenty hours',
    'infra/canary.ts',
    'canary.everyMinutes} minutes',
    'canary.everyMinutes} hours',
    '+ scheduler.Schedule CanarySchedule scheduleExpression: rate(20 hours)',
  ],
  // Settings.
  [
    'settings before the functions that read them',
    'infra/settings.ts',
    '{ dependsOn: readers }',
    '{}',
    '- order: settings after SendFunction',
  ],
  [
    'settings that new code does not store',
    'infra/settings.ts',
    '{ code: apply.nodes.function.sourceCodeHash }',
    '{}',
    '- lambda.Invocation Settings triggers.code: hash',
  ],
  // Money.
  [
    'a NAT gateway',
    'infra/stage.ts',
    'export const isPermanent',
    "new sst.aws.Vpc('Costly', { nat: 'managed' })\nexport const isPermanent",
    'is billed without a user',
  ],
  [
    'a budget times hundred',
    'infra/budget.ts',
    'String(deployment.monthlyBudgetDollars)',
    'String(100 * deployment.monthlyBudgetDollars)',
    '+ budgets.Budget Cost limitAmount: 20000',
  ],
  [
    'a budget of a year',
    'infra/budget.ts',
    "'MONTHLY'",
    "'ANNUALLY'",
    '+ budgets.Budget Cost timeUnit: ANNUALLY',
  ],
  [
    'a budget that tells nobody',
    'infra/budget.ts',
    'subscriberSnsTopicArns: [topic.arn]',
    'subscriberSnsTopicArns: []',
    '+ budgets.Budget Cost notifications.0.subscriberSnsTopicArns: []',
  ],
  // Alarms.
  [
    'no subscription',
    'infra/topic.ts',
    "deployment.alarmEmail !== 'none'",
    "deployment.alarmEmail === 'none'",
    '- sns.TopicSubscription AlarmsEmail endpoint: ops@example.com',
  ],
  [
    'a topic for another service',
    'infra/topic.ts',
    "'cloudwatch.amazonaws.com'",
    "'events.amazonaws.com'",
    '+ sns.TopicPolicy AlarmsPolicy policy.Statement.0.Principal.0.identifiers.1: events.amazonaws.com',
  ],
  [
    'a topic for every account',
    'infra/topic.ts',
    "conditions: [{ test: 'StringEquals', variable: 'aws:SourceAccount', values: [accountId] }],",
    '',
    '- sns.TopicPolicy AlarmsPolicy policy.Statement.0.Condition.0.variable: aws:SourceAccount',
  ],
  [
    'dead turns counted at another queue',
    'infra/alarm.ts',
    'waitingIn(deadQueue)',
    'waitingIn(deadCleanup)',
    '+ cloudwatch.MetricAlarm DeadTurns dimensions.QueueName: ai-chat-STAGE-cleanupdeadqueue',
  ],
  [
    'a share above a hundred',
    'infra/alarm.ts',
    'threshold: 20,',
    'threshold: 2_000,',
    '+ cloudwatch.MetricAlarm FailedTurns threshold: 2000',
  ],
  [
    'silence taken for health',
    'infra/alarm.ts',
    "treatMissingData: 'breaching'",
    "treatMissingData: 'notBreaching'",
    '+ cloudwatch.MetricAlarm CleanupSilent treatMissingData: notBreaching',
  ],
  [
    'twenty minutes for a call',
    'infra/alarm.ts',
    'metrics.modelMs, 300, 120_000',
    'metrics.modelMs, 300, 1_200_000',
    '+ cloudwatch.MetricAlarm SlowModel threshold: 1200000',
  ],
  [
    'a metric that nobody emits',
    'infra/alarm.ts',
    'own(metrics.turnsStuck, 60)',
    "{ ...own(metrics.turnsStuck, 60), metricName: 'TurnStuck' }",
    '+ cloudwatch.MetricAlarm StuckTurns metricName: TurnStuck',
  ],
  [
    'alarms that tell nobody',
    'infra/alarm.ts',
    'alarmActions: [told.topic.arn]',
    'alarmActions: []',
    '- cloudwatch.MetricAlarm DeadTurns alarmActions.0',
  ],
  [
    'dollars for millionths',
    'infra/alarm.ts',
    '/ 10) * 1_000_000',
    '/ 10)',
    '+ cloudwatch.MetricAlarm ModelDollars threshold: 20',
  ],
  [
    'the edge in another region',
    'infra/alarm.ts',
    "Region: 'Global'",
    "Region: 'us-east-1'",
    '+ cloudwatch.MetricAlarm EdgeErrors dimensions.Region: us-east-1',
  ],
  [
    'a dashboard of another stage',
    'infra/dashboard.ts',
    'dimensions($app.stage)',
    "dimensions('live')",
    '+ cloudwatch.Dashboard Dashboard dashboardBody',
  ],
]

const inWorker: Mistake[] = [
  [
    'a quarter of a processor',
    'infra/limits.ts',
    'cpu: 0.5',
    'cpu: 0.25',
    '+ ecs.TaskDefinition WorkerTask cpu: 256',
  ],
  [
    'two seconds to stop',
    'infra/limits.ts',
    'workerStopSeconds = 60',
    'workerStopSeconds = 2',
    'stopTimeout: 2',
  ],
  [
    'a shell into the tasks',
    'infra/worker.ts',
    'enableExecuteCommand: false',
    'enableExecuteCommand: true',
    '+ ecs.Service WorkerService enableExecuteCommand: true',
  ],
  [
    'a worker that may not receive',
    'infra/worker.ts',
    ', receive]',
    ']',
    '- iam.Role WorkerTaskRole inlinePolicies.0.policy.Statement.',
  ],
  [
    'every parameter of the account',
    'infra/worker.ts',
    '[...parameterArns,',
    "['*', ...parameterArns,",
    'ssm:GetParameters on everything',
  ],
  [
    'no alarm without a task',
    'infra/worker.ts',
    'watchWorker(tasks',
    'void (tasks',
    '- cloudwatch.MetricAlarm WorkerSilent threshold: 1',
  ],
]

type Kind = { stage: string; own: Own; mistakes: Mistake[] }

const kinds: Record<string, Kind> = {
  everything: {
    stage: 'production',
    own: withEverything,
    mistakes: inProduction.filter(([, , , , , kind]) => kind !== 'usual'),
  },
  usual: {
    stage: 'production',
    own: {},
    mistakes: inProduction.filter(([, , , , , kind]) => kind === 'usual'),
  },
  worker: { stage: 'worker', own: {}, mistakes: inWorker },
}

describe.each(Object.entries(kinds))('planted into the stage %s', (_kind, { stage, own, mistakes }) => {
  const said = new Map<string, string[]>()

  beforeAll(async () => {
    const accepted = linesOf(await synth(stage, {}, own))
    for (const { planted, names } of waves(mistakes)) {
      const wrong: Synth = await synth(stage, planted, own)
      const found = [...faults(wrong), ...changes(accepted, linesOf(wrong))]
      for (const name of names) said.set(name, found)
    }
  })

  test.each(mistakes)('%s is caught', (name, _file, _right, _wrong, caught) => {
    expect(said.get(name)).toContainEqual(expect.stringContaining(caught))
  })
})

test('a handler that is not there is caught', async () => {
  const planted = {
    'infra/cleanup.ts': (text: string) => text.replace('functions/cleanup', 'functions/clean'),
  }

  await expect(synth('dev', planted)).rejects.toThrow('There is no functions/clean.ts')
})
