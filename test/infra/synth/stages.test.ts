import { beforeAll, describe, expect, test } from 'vitest'
import { indexes } from '../../../core/base/aws/indexes.ts'
import { handoverMs } from '../../../core/turn/work.ts'
import { routes } from '../../../functions/http/routes.ts'
import { bundling } from '../../../infra/bundle.ts'
import type { Inputs } from '../../support/synth/mocks.ts'
import { faults } from '../../support/synth/rules.ts'
import { type Synth, synth } from '../../support/synth/synth.ts'

const stages = ['dev', 'production', 'worker'] as const
const made = {} as Record<(typeof stages)[number], Synth>

beforeAll(async () => {
  for (const stage of stages) made[stage] = await synth(stage)
})

const permanent = ['production', 'worker'] as const

describe.each(stages)('the stage %s', (stage) => {
  const it = () => made[stage]

  test('keeps its chat in one table on demand, with its indexes and the expiry that the code writes', () => {
    const table = it().one('aws:dynamodb/table:Table', 'ChatTable')

    expect(table).toMatchObject({
      billingMode: 'PAY_PER_REQUEST',
      hashKey: 'pk',
      rangeKey: 'sk',
      ttl: { attributeName: 'expires_at', enabled: true },
      globalSecondaryIndexes: Object.values(indexes).map(({ name, pk, sk }) => ({
        name,
        hashKey: pk,
        rangeKey: sk,
        projectionType: 'KEYS_ONLY',
      })),
    })
  })

  test('hides a message for six invocations, and lets it die after five', () => {
    const queue = it().one<{ visibilityTimeoutSeconds: number; redrivePolicy: string }>(
      'aws:sqs/queue:Queue',
      'ProcessQueue',
    )
    const dead = it().one('aws:sqs/queue:Queue', 'ProcessDeadQueue')

    expect(queue.visibilityTimeoutSeconds).toBe(90 * 60)
    expect(JSON.parse(queue.redrivePolicy)).toEqual({
      deadLetterTargetArn: `arn:aws:sqs:us-east-1:123456789012:ai-chat-${stage}-processdeadqueue`,
      maxReceiveCount: 5,
    })
    expect(dead.messageRetentionSeconds).toBe(14 * 86_400)
  })

  test('has the routes of the card, and one that takes the rest', () => {
    const keys = it()
      .all('aws:apigatewayv2/route:Route')
      .map(({ routeKey }) => routeKey)

    expect(keys.toSorted()).toEqual(
      [...routes.map(({ method, path }) => `${method} ${path}`), '$default'].toSorted(),
    )
  })

  test('builds one function per entry of the card, for arm64 and Node 24, as the bundles are measured', () => {
    const names = new Set(routes.map((route) => `functions/${route.function}.handler`))
    const handlers = it().builds.map(({ handler }) => handler)

    expect(handlers).toEqual(expect.arrayContaining([...names]))
    expect(new Set(handlers).size).toBe(handlers.length)
    for (const build of it().builds) expect(build.properties).toMatchObject(bundling)
    for (const fn of it().all('aws:lambda/function:Function')) {
      expect(fn).toMatchObject({ runtime: 'nodejs24.x', architectures: ['arm64'] })
      expect(fn.timeout).toBeLessThanOrEqual(900)
    }
  })

  test('answers no user with the error of another: the edge keeps none', () => {
    const kept = it()
      .one<{ customErrorResponses: Inputs[] }>('aws:cloudfront/distribution:Distribution', /^Router/)
      .customErrorResponses.filter(({ errorCachingMinTtl }) => errorCachingMinTtl === 0)
      .map(({ errorCode }) => errorCode)

    expect(kept).toEqual([400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504])
  })

  test('takes the load that its deployment file says', () => {
    expect(it().one('aws:apigatewayv2/stage:Stage', 'ApiStage').defaultRouteSettings).toEqual({
      throttlingRateLimit: 100,
      throttlingBurstLimit: 200,
    })
  })

  test('leaves the parts of earlier releases where open tabs look for them', () => {
    for (const files of it().all('sst:aws:BucketFiles')) expect(files).toMatchObject({ purge: false })
  })

  test('removes them from there, once a day', () => {
    const { scheduleExpression, target } = it().one<Inputs & { target: { input: string } }>(
      'aws:scheduler/schedule:Schedule',
      'RetireSchedule',
    )

    expect(scheduleExpression).toBe('rate(1 day)')
    expect(JSON.parse(target.input)).toEqual({ bucket: `ai-chat-${stage}-webassetsbucket` })
  })

  test('answers requests within the time that API Gateway waits', () => {
    const names = [...new Set(routes.map((route) => route.function))]

    expect(names.length).toBeGreaterThan(7)
    for (const [first = '', ...rest] of names)
      expect(
        it().one('aws:lambda/function:Function', `${first.toUpperCase()}${rest.join('')}Function`).timeout,
      ).toBeLessThan(30)
  })

  test('cleans up every minute, with a place for runs that could not start', () => {
    expect(it().one('aws:scheduler/schedule:Schedule', 'CleanupSchedule')).toMatchObject({
      scheduleExpression: 'rate(1 minute)',
      state: 'ENABLED',
      target: {
        deadLetterConfig: { arn: `arn:aws:sqs:us-east-1:123456789012:ai-chat-${stage}-cleanupdeadqueue` },
      },
    })
  })

  test('keeps its files private, and removes old versions and unfinished uploads', () => {
    expect(it().one('aws:s3/bucketPublicAccessBlock:BucketPublicAccessBlock', /^Files/)).toMatchObject({
      blockPublicAcls: true,
      blockPublicPolicy: true,
      restrictPublicBuckets: true,
    })
    expect(it().all('aws:s3/bucketCorsConfiguration:BucketCorsConfiguration')).toEqual([
      expect.objectContaining({
        corsRules: [
          {
            allowedOrigins: ['https://d111.cloudfront.net'],
            allowedMethods: ['POST'],
            allowedHeaders: ['content-type'],
            exposeHeaders: ['etag'],
            maxAgeSeconds: 600,
          },
          { allowedOrigins: ['*'], allowedMethods: ['GET'] },
        ],
      }),
    ])
    const { rules } = it().one<{ rules: Inputs[] }>(
      'aws:s3/bucketLifecycleConfiguration:BucketLifecycleConfiguration',
      /^Files/,
    )
    expect(rules).toEqual([
      { id: 'pending', status: 'Enabled', filter: { prefix: 'pending/' }, expiration: { days: 1 } },
      { id: 'exports', status: 'Enabled', filter: { prefix: 'exports/' }, expiration: { days: 1 } },
      {
        id: 'old-versions',
        status: 'Enabled',
        filter: { prefix: '' },
        noncurrentVersionExpiration: { noncurrentDays: 36 },
        expiration: { expiredObjectDeleteMarker: true },
        abortIncompleteMultipartUpload: { daysAfterInitiation: 1 },
      },
      {
        id: 'old-versions-of-pending',
        status: 'Enabled',
        filter: { prefix: 'pending/' },
        noncurrentVersionExpiration: { noncurrentDays: 1 },
      },
      {
        id: 'old-versions-of-exports',
        status: 'Enabled',
        filter: { prefix: 'exports/' },
        noncurrentVersionExpiration: { noncurrentDays: 1 },
      },
      {
        id: 'old-versions-of-cache',
        status: 'Enabled',
        filter: { prefix: 'cache/' },
        noncurrentVersionExpiration: { noncurrentDays: 1 },
      },
    ])
  })

  test('breaks no rule: queue and consumer fit, no role is open, no origin is foreign, nothing idles by the hour', () => {
    expect(faults(it())).toEqual([])
  })

  test('sends the security headers with every answer', () => {
    const policy = it().one('aws:cloudfront/responseHeadersPolicy:ResponseHeadersPolicy', 'Headers')

    expect(
      it().one('aws:cloudfront/distribution:Distribution', /^Router/).defaultCacheBehavior,
    ).toMatchObject({
      responseHeadersPolicyId: `ai-chat-${stage}-headers`,
    })
    expect(JSON.stringify(policy)).toContain(
      `connect-src 'self' https://ai-chat-${stage}-filesbucket.s3.us-east-1.amazonaws.com;`,
    )
    expect(JSON.stringify(policy)).not.toMatch(/unsafe-/)
    expect(policy.securityHeadersConfig).toMatchObject({
      contentTypeOptions: { override: true },
      referrerPolicy: { override: true, referrerPolicy: 'same-origin' },
      strictTransportSecurity: {
        override: true,
        accessControlMaxAgeSec: 63_072_000,
        includeSubdomains: true,
      },
    })
  })

  test('keeps the code at the edge within the 10 KB that CloudFront takes', () => {
    for (const fn of it().all('aws:cloudfront/function:Function'))
      expect(Buffer.byteLength(String(fn.code))).toBeLessThan(10_240)
  })

  test('keeps no log for ever', () => {
    const groups = it().all('aws:cloudwatch/logGroup:LogGroup')

    expect(groups.length).toBeGreaterThan(8)
    for (const group of groups) expect(group.retentionInDays).toBe(stage === 'dev' ? 7 : 30)
  })

  test('stores its settings at a deploy that changes them', () => {
    const { input } = it().one<{ input: string }>('aws:lambda/invocation:Invocation', 'Settings')

    expect(JSON.parse(input)).toMatchObject({ llmTaskUid: 1, maxActiveConversations: 3 })
  })
})

test.each(permanent)('%s outlives mistakes: protected, retained, restorable', (stage) => {
  const { app, one } = made[stage]

  expect([app.removal, app.protect]).toEqual(['retain', true])
  for (const name of ['ChatTable', 'CmsTable'])
    expect(one('aws:dynamodb/table:Table', name)).toMatchObject({
      deletionProtectionEnabled: true,
      pointInTimeRecovery: { enabled: true },
    })
  expect(one('aws:s3/bucket:Bucket', 'FilesBucket').forceDestroy).toBe(false)
  expect(
    one<Inputs>('aws:s3/bucketVersioning:BucketVersioning', 'FilesVersioning').versioningConfiguration,
  ).toEqual({ status: 'Enabled' })
})

test('dev leaves nothing behind', () => {
  const { app, one } = made.dev

  expect([app.removal, app.protect]).toEqual(['remove', false])
  expect(one('aws:dynamodb/table:Table', 'ChatTable').deletionProtectionEnabled).toBe(false)
})

test.each(['dev', 'production'] as const)(
  '%s runs one turn per invocation, and no more than agreed',
  (stage) => {
    const { one } = made[stage]
    const fn = one<{ timeout: number }>('aws:lambda/function:Function', /^ProcessSubscriber/)

    expect(one('aws:lambda/eventSourceMapping:EventSourceMapping', /^ProcessSubscriber/)).toMatchObject({
      batchSize: 1,
      scalingConfig: { maximumConcurrency: 50 },
      functionResponseTypes: ['ReportBatchItemFailures'],
    })
    expect(fn.timeout).toBe(15 * 60)
    // A turn is handed over in time, and a model call fits into what is left.
    expect(handoverMs).toBeGreaterThan(240_000)
    expect(handoverMs / 1000).toBeLessThan(fn.timeout)
  },
)

describe('the worker', () => {
  test('is a Fargate service without a load balancer or a NAT, which stops gracefully', () => {
    const { one, all } = made.worker
    const [container] = JSON.parse(
      one<{ containerDefinitions: string }>('aws:ecs/taskDefinition:TaskDefinition', 'WorkerTask')
        .containerDefinitions,
    )

    expect(container).toMatchObject({
      command: ['node', 'scripts/worker.mjs', '--concurrency', '16'],
      stopTimeout: 60,
    })
    expect(all('aws:lambda/eventSourceMapping:EventSourceMapping')).toEqual([])
  })

  test('gets its secrets when a task starts: its definition names parameters, and holds no value of a secret', () => {
    const { one, all, statements } = made.worker
    const { containerDefinitions } = one<{ containerDefinitions: string }>(
      'aws:ecs/taskDefinition:TaskDefinition',
      'WorkerTask',
    )
    const [container] = JSON.parse(containerDefinitions)
    const parameter = 'arn:aws:ssm:us-east-1:123456789012:parameter/ai-chat-worker-workerai_chat_secret'

    expect(all('aws:ssm/parameter:Parameter')).toMatchObject([
      { type: 'SecureString', name: '/ai-chat/worker/worker/AI_CHAT_SECRET' },
    ])
    expect(container.secrets).toEqual([{ name: 'AI_CHAT_SECRET', valueFrom: parameter }])
    expect(containerDefinitions).not.toContain('stage-secret-of-the-tests')
    expect(containerDefinitions).not.toMatch(/SST_RESOURCE_(?!App)/)
    const names = container.environment.map(({ name }: { name: string }) => name)
    expect(names).toEqual(expect.arrayContaining(['AI_CHAT_TABLE', 'AI_CHAT_ORIGIN', 'AWS_REGION']))
    expect(names).not.toContain('AI_CHAT_SECRET_ROUTER')
    expect(statements('WorkerExecutionRole')).toMatchObject([
      { Effect: 'Allow', Action: ['ssm:GetParameters'], Resource: [parameter] },
    ])
  })

  test('grows and shrinks with the turns that wait and run for each of its tasks', () => {
    expect(made.worker.one('aws:appautoscaling/target:Target', /^Worker/)).toMatchObject({
      minCapacity: 1,
      maxCapacity: 4,
    })
    expect(made.worker.one('aws:appautoscaling/policy:Policy', 'WorkerQueueDepth')).toMatchObject({
      targetTrackingScalingPolicyConfiguration: {
        targetValue: 16,
        customizedMetricSpecification: {
          metrics: [
            { id: 'visible', metricStat: { metric: { metricName: 'ApproximateNumberOfMessagesVisible' } } },
            {
              id: 'running',
              metricStat: { metric: { metricName: 'ApproximateNumberOfMessagesNotVisible' } },
            },
            { id: 'tasks', metricStat: { metric: { metricName: 'CPUUtilization' }, stat: 'SampleCount' } },
            { expression: '(visible + running) / IF(tasks > 0, tasks, 1)' },
          ],
        },
      },
    })
  })
})
