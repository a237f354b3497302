import { readFileSync } from 'node:fs'
import { beforeAll, describe, expect, test } from 'vitest'
import { Deployment, readSettings } from '../../../infra/deployment.ts'
import { assumptionsOf } from '../../../scripts/cost/assumption.ts'
import type { Inputs } from '../../support/synth/mocks.ts'
import { type Synth, synth } from '../../support/synth/synth.ts'

const stages = ['dev', 'production', 'worker'] as const
const made = {} as Record<(typeof stages)[number], Synth>

beforeAll(async () => {
  for (const stage of stages) made[stage] = await synth(stage)
})

const topic = (stage: string) => `arn:aws:sns:us-east-1:123456789012:ai-chat-${stage}-alarms`

/** What every alarm watches, when it rings, and what it takes silence for. */
function watched(stage: string, { resources }: Synth): Record<string, Inputs> {
  const alarms = resources.filter(({ type }) => type === 'aws:cloudwatch/metricAlarm:MetricAlarm')
  return Object.fromEntries(
    alarms.map(({ name, inputs: { alarmDescription, alarmActions, okActions, ...inputs } }) => {
      const { name: title, ...rest } = inputs
      expect([title, alarmActions, okActions, typeof alarmDescription]).toEqual([
        `ai-chat-${stage}-${name}`,
        [topic(stage)],
        [topic(stage)],
        'string',
      ])
      return [name, rest]
    }),
  )
}

const deploymentOf = (stage: string) =>
  Deployment.parse({
    ...JSON.parse(readFileSync(`infra/deployments/${stage}.json`, 'utf8')),
    alarmEmail: 'ops@example.com',
  })

/** The metrics that AWS bills: each one of an alarm on an expression. */
const metricsOf = ({ all }: Synth) =>
  all('aws:cloudwatch/metricAlarm:MetricAlarm')
    .map(({ metricQueries = [] }) => (metricQueries as Inputs[]).filter(({ metric }) => metric).length || 1)
    .reduce((sum, count) => sum + count, 0)

const above = { comparisonOperator: 'GreaterThanThreshold', treatMissingData: 'notBreaching' }
const silent = { comparisonOperator: 'LessThanThreshold', treatMissingData: 'breaching', threshold: 1 }
const once = { evaluationPeriods: 1 }
const sum = { statistic: 'Sum' }

function expected(stage: string): Record<string, Inputs> {
  const own = { namespace: 'AIChat', dimensions: { service: 'backend-ai-chat', stage } }
  const messages = (queue: string) => ({
    namespace: 'AWS/SQS',
    metricName: 'ApproximateNumberOfMessagesVisible',
    statistic: 'Maximum',
    period: 60,
    dimensions: { QueueName: `ai-chat-${stage}-${queue}` },
  })
  const lambda = (metricName: string, name?: string) => ({
    namespace: 'AWS/Lambda',
    metricName,
    ...sum,
    period: 300,
    ...(name && { dimensions: { FunctionName: `ai-chat-${stage}-${name}` } }),
  })
  const share = (bad: string, good: string, period: number, least: number) => ({
    metricQueries: [
      { id: 'bad', metric: { ...own, metricName: bad, stat: 'Sum', period } },
      { id: 'good', metric: { ...own, metricName: good, stat: 'Sum', period } },
      {
        id: 'share',
        expression: `IF(FILL(bad, 0) + FILL(good, 0) >= ${least}, 100 * FILL(bad, 0) / (FILL(bad, 0) + FILL(good, 0)), 0)`,
        label: 'Share in percent',
        returnData: true,
      },
    ],
  })
  const slow = (metricName: string, threshold: number) => ({
    ...above,
    evaluationPeriods: 3,
    threshold,
    ...own,
    metricName,
    extendedStatistic: 'p95',
    period: 300,
  })
  return {
    DeadTurns: { ...above, ...once, threshold: 0, ...messages('processdeadqueue') },
    DeadCleanups: { ...above, ...once, threshold: 0, ...messages('cleanupdeadqueue') },
    StuckTurns: { ...above, ...once, threshold: 0, ...own, metricName: 'TurnsStuck', ...sum, period: 60 },
    FailedTurns: { ...above, ...once, threshold: 20, ...share('TurnsFailed', 'TurnsDone', 300, 5) },
    FailedTurnsOfHours: { ...above, ...once, threshold: 50, ...share('TurnsFailed', 'TurnsDone', 21_600, 3) },
    RefusedSessions: {
      ...above,
      ...once,
      threshold: 80,
      ...share('SessionsRefused', 'SessionsStarted', 900, 5),
    },
    SlowModel: slow('ModelMs', 120_000),
    SlowTurns: slow('TurnMs', 600_000),
    WaitingTurns: {
      ...above,
      evaluationPeriods: 3,
      threshold: 120_000,
      ...own,
      metricName: 'QueueWaitMs',
      extendedStatistic: 'p95',
      period: 60,
    },
    ModelDollars: {
      ...above,
      ...once,
      threshold: { dev: 2, production: 20, worker: 30 }[stage as 'dev'] * 1_000_000,
      ...own,
      metricName: 'ModelMicroDollars',
      ...sum,
      period: 86_400,
    },
    ...(stage !== 'dev' && {
      StageTokens: {
        ...above,
        ...once,
        threshold: 80,
        ...own,
        metricName: 'StageTokensPercent',
        statistic: 'Maximum',
        period: 300,
      },
    }),
    RequestErrors: {
      ...above,
      ...once,
      threshold: 5,
      metricQueries: [
        {
          id: 'errors',
          metric: {
            namespace: 'AWS/ApiGateway',
            metricName: '5xx',
            dimensions: { ApiId: `ai-chat-${stage}-apiapi` },
            stat: 'Sum',
            period: 300,
          },
        },
        { id: 'intended', metric: { ...own, metricName: 'RequestsDeclined', stat: 'Sum', period: 300 } },
        {
          id: 'unexpected',
          expression: 'FILL(errors, 0) - FILL(intended, 0)',
          label: 'Requests that failed unexpectedly',
          returnData: true,
        },
      ],
    },
    EdgeErrors: {
      ...above,
      evaluationPeriods: 3,
      threshold: 25,
      namespace: 'AWS/CloudFront',
      metricName: '5xxErrorRate',
      dimensions: { DistributionId: `ai-chat-${stage}-routercdndistribution`, Region: 'Global' },
      statistic: 'Average',
      period: 300,
    },
    RetireErrors: {
      ...above,
      ...once,
      threshold: 0,
      ...lambda('Errors', 'retirehandlerfunction'),
      period: 86_400,
    },
    CleanupErrors: { ...above, ...once, threshold: 2, ...lambda('Errors', 'cleanuphandlerfunction') },
    CleanupSilent: { ...silent, ...once, ...lambda('Invocations', 'cleanuphandlerfunction') },
    Throttles: { ...above, ...once, threshold: 0, ...lambda('Throttles') },
    ...(stage === 'worker'
      ? {
          WorkerSilent: {
            ...silent,
            evaluationPeriods: 5,
            namespace: 'AWS/ECS',
            metricName: 'CPUUtilization',
            statistic: 'SampleCount',
            period: 60,
            dimensions: {
              ClusterName: 'ai-chat-worker-clustercluster',
              ServiceName: 'ai-chat-worker-workerservice',
            },
          },
        }
      : {
          ProcessErrors: {
            ...above,
            ...once,
            threshold: 0,
            ...lambda('Errors', expect.stringMatching(/processsubscriber/) as unknown as string),
            dimensions: { FunctionName: expect.stringMatching(/processsubscriber\w+function$/) },
          },
        }),
  }
}

describe.each(stages)('the stage %s', (stage) => {
  test('rings for dead letters, stuck, failed and waiting turns, errors, throttles, and a silent schedule', () => {
    expect(watched(stage, made[stage])).toEqual(expected(stage))
  })

  test('watches as many metrics as the estimate of its cost counts', () => {
    expect(metricsOf(made[stage])).toBe(assumptionsOf(readSettings(stage), deploymentOf(stage)).alarms)
  })

  test('tells its recipient, and lets no other account publish', () => {
    const { policy } = made[stage].one<{ policy: string }>('aws:sns/topicPolicy:TopicPolicy', 'AlarmsPolicy')

    expect(made[stage].one('aws:sns/topicSubscription:TopicSubscription', 'AlarmsEmail')).toMatchObject({
      protocol: 'email',
      endpoint: 'ops@example.com',
      topic: topic(stage),
    })
    expect(JSON.parse(policy).Statement).toEqual([
      {
        Effect: 'Allow',
        Action: ['sns:Publish'],
        Resource: [topic(stage)],
        Principal: [{ type: 'Service', identifiers: ['budgets.amazonaws.com', 'cloudwatch.amazonaws.com'] }],
        Condition: [{ test: 'StringEquals', variable: 'aws:SourceAccount', values: ['123456789012'] }],
      },
    ])
  })

  test('sees money that was spent, that of models as well, and what a month is forecast to cost', () => {
    const notifications = [50, 80, 100].map((threshold) => ({ notificationType: 'ACTUAL', threshold }))
    const budget = (name: string) => made[stage].one('aws:budgets/budget:Budget', name)

    for (const name of ['Cost', 'ModelCost', 'MarketplaceCost'])
      expect(budget(name).notifications).toEqual(
        [...notifications, { notificationType: 'FORECASTED', threshold: 100 }].map((it) => ({
          ...it,
          comparisonOperator: 'GREATER_THAN',
          thresholdType: 'PERCENTAGE',
          subscriberSnsTopicArns: [topic(stage)],
        })),
      )
    expect(budget('Cost').costFilters).toEqual([{ name: 'TagKeyValue', values: [`user:sst:stage$${stage}`] }])
    expect(budget('ModelCost').costFilters).toEqual([{ name: 'Service', values: ['Amazon Bedrock'] }])
    expect(budget('MarketplaceCost').costFilters).toEqual([
      { name: 'BillingEntity', values: ['AWS Marketplace'] },
    ])
  })
})

test('a canary and missing limits change the number of alarms that the estimate counts', async () => {
  const canary = { everyMinutes: 15, turnsEveryHours: 6, user: 'canary', page: 3 }
  const own = { deployment: { canary, monthlyBudgetDollars: null }, settings: { dailyTokens: null } }
  const stage = await synth('production', {}, own)

  expect(metricsOf(stage)).toBe(
    assumptionsOf(
      { ...readSettings('production'), ...own.settings },
      { ...deploymentOf('production'), ...own.deployment },
    ).alarms,
  )
})
