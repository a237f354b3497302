import { dimensions, type Metric, metrics, namespace } from '../core/base/metric/name.ts'
import { stuckMs } from '../core/conversation/turn-failure.ts'
import { api } from './api.ts'
import { cleanup } from './cleanup.ts'
import { deadCleanup, deadQueue } from './queue.ts'
import { router } from './router.ts'
import { deployment, settings } from './stage.ts'
import { edgeTopic, topic } from './topic.ts'
import { retire } from './web.ts'

type Watched = Partial<aws.cloudwatch.MetricAlarmArgs> & {
  alarmDescription: string
  /** Number of consecutive periods that have to be beyond the threshold. */
  periods?: number
}

/** The topic of an alarm, and the provider for its region if it is not the region of the stage. */
type Told = { topic: aws.sns.Topic; provider?: aws.Provider }

function alarm(name: string, { periods = 1, ...watched }: Watched, told: Told = { topic }): void {
  new aws.cloudwatch.MetricAlarm(
    name,
    {
      // The name has product and stage, so that mails name the stage and a role can be limited to the alarms of this
      // product.
      name: `${$app.name}-${$app.stage}-${name}`,
      comparisonOperator: 'GreaterThanThreshold',
      evaluationPeriods: periods,
      treatMissingData: 'notBreaching',
      alarmActions: [told.topic.arn],
      okActions: [told.topic.arn],
      threshold: 0,
      // Metric math has its own periods and statistics.
      ...(!watched.metricQueries && { statistic: 'Sum', period: 60 }),
      ...watched,
    },
    told.provider && { provider: told.provider },
  )
}

/** A metric that the stage counts itself. */
const own = (metricName: Metric) => ({ namespace, metricName, dimensions: dimensions($app.stage) })

/** A metric of Lambda, of one function or of all functions of the account. */
const lambda = (metricName: string, name?: $util.Input<string>) => ({
  namespace: 'AWS/Lambda',
  metricName,
  ...(name !== undefined && { dimensions: { FunctionName: name } }),
})

/** Watches the 95th percentile of a duration, in three consecutive periods. */
const slow = (metric: Metric) => ({
  ...own(metric),
  statistic: undefined,
  extendedStatistic: 'p95',
  periods: 3,
})

/** Treats missing data as a failure; every other alarm treats missing data as healthy. */
const silent = { comparisonOperator: 'LessThanThreshold', threshold: 1, treatMissingData: 'breaching' }

const queueAlarm = (dead: sst.aws.Queue) => ({
  namespace: 'AWS/SQS',
  metricName: 'ApproximateNumberOfMessagesVisible',
  statistic: 'Maximum',
  dimensions: { QueueName: dead.nodes.queue.name },
})

alarm('DeadTurns', { ...queueAlarm(deadQueue), alarmDescription: 'The dead-letter queue holds turns.' })
alarm('DeadCleanups', {
  ...queueAlarm(deadCleanup),
  alarmDescription: 'Runs of cleanup could not be started.',
})
alarm('StuckTurns', {
  ...own(metrics.turnsStuck),
  alarmDescription: `Turns had no progress for ${stuckMs / 60_000} minutes, and cleanup failed them.`,
})

type Counted = Pick<
  aws.types.input.cloudwatch.MetricAlarmMetricQueryMetric,
  'namespace' | 'metricName' | 'dimensions'
>

const sumOf = (id: string, metric: Counted, period: number) => ({
  id,
  metric: { ...metric, stat: 'Sum', period },
})

/**
 * An alarm on the share of bad events. If all events are bad, there is no value of the good events, and without FILL no
 * value of the share.
 */
function alarmOnShare(name: string, { bad, good, period, least, ...rest }: Share): void {
  const sum = 'FILL(bad, 0) + FILL(good, 0)'
  alarm(name, {
    ...rest,
    metricQueries: [
      sumOf('bad', own(bad), period),
      sumOf('good', own(good), period),
      {
        id: 'share',
        expression: `IF(${sum} >= ${least}, 100 * FILL(bad, 0) / (${sum}), 0)`,
        label: 'Share in percent',
        returnData: true,
      },
    ],
  })
}

type Share = Pick<Watched, 'alarmDescription' | 'threshold'> & {
  bad: Metric
  good: Metric
  period: number
  /** Minimum number of events; a share of fewer events says nothing. */
  least: number
}

// A wrong model id, a revoked key or lost access fails every turn while every function succeeds.
const turns = { bad: metrics.turnsFailed, good: metrics.turnsDone }
alarmOnShare('FailedTurns', {
  ...turns,
  period: 300,
  least: 5,
  threshold: 20,
  alarmDescription: 'More than 20 % of the turns of five minutes failed. The log names the code of each.',
})
// A site with a few turns an hour never has five turns in five minutes.
alarmOnShare('FailedTurnsOfHours', {
  ...turns,
  period: 6 * 3_600,
  least: 3,
  threshold: 50,
  alarmDescription: 'More than half of the turns of six hours failed. The log names the code of each.',
})
// With a wrong exchange key, a wrong clock or a lost secret, nobody can log in, but no function fails.
alarmOnShare('RefusedSessions', {
  bad: metrics.sessionsRefused,
  good: metrics.sessionsStarted,
  period: 900,
  least: 5,
  threshold: 80,
  alarmDescription:
    'Most logins and exchanges of 15 minutes were refused. The metric names the code of each.',
})
alarm('SlowModel', {
  ...slow(metrics.modelMs),
  period: 300,
  threshold: 120_000,
  alarmDescription: 'Model calls take longer than two minutes.',
})
alarm('SlowTurns', {
  ...slow(metrics.turnMs),
  period: 300,
  threshold: 600_000,
  alarmDescription: 'Turns take longer than ten minutes.',
})

// Uses the time between send and claim, because the age of the oldest message also counts running turns.
alarm('WaitingTurns', {
  ...slow(metrics.queueWaitMs),
  threshold: 120_000,
  alarmDescription: 'Turns wait for a consumer for longer than two minutes.',
})
// The budget of AWS sees the cost of models a day late and not by stage; this metric counts each call when it ends.
if (deployment.monthlyBudgetDollars !== null)
  alarm('ModelDollars', {
    ...own(metrics.modelMicroDollars),
    period: 86_400,
    threshold: (deployment.monthlyBudgetDollars / 10) * 1_000_000,
    alarmDescription: 'The models of one day cost more than a tenth of the budget of the month.',
  })
if (settings.dailyTokens !== null)
  alarm('StageTokens', {
    ...own(metrics.stageTokensPercent),
    statistic: 'Maximum',
    period: 300,
    threshold: 80,
    alarmDescription:
      'The users have used 80 % of the tokens that the stage has for today; at 100 % no turn starts.',
  })
// API Gateway also counts requests that the stage refuses on purpose, for maintenance or too many waiting turns.
alarm('RequestErrors', {
  metricQueries: [
    sumOf(
      'errors',
      { namespace: 'AWS/ApiGateway', metricName: '5xx', dimensions: { ApiId: api.nodes.api.id } },
      300,
    ),
    sumOf('intended', own(metrics.requestsDeclined), 300),
    {
      id: 'unexpected',
      expression: 'FILL(errors, 0) - FILL(intended, 0)',
      label: 'Requests that failed unexpectedly',
      returnData: true,
    },
  ],
  threshold: 5,
  alarmDescription: 'Requests failed unexpectedly.',
})
// A certificate, a firewall rule or a wrong origin fails requests before they reach the gateway.
alarm(
  'EdgeErrors',
  {
    namespace: 'AWS/CloudFront',
    metricName: '5xxErrorRate',
    dimensions: { DistributionId: router.nodes.cdn.nodes.distribution.id, Region: 'Global' },
    statistic: 'Average',
    period: 300,
    threshold: 25,
    periods: 3,
    alarmDescription: 'More than a quarter of all requests failed at the edge for 15 minutes.',
  },
  edgeTopic,
)
alarm('RetireErrors', {
  ...lambda('Errors', retire.nodes.function.name),
  period: 86_400,
  alarmDescription: 'Parts of earlier releases are not removed.',
})

const cleanupName = cleanup.nodes.function.name

alarm('CleanupErrors', {
  ...lambda('Errors', cleanupName),
  threshold: 2,
  period: 300,
  alarmDescription: 'Cleanup fails: lost and stuck turns are not taken up.',
})

alarm('CleanupSilent', {
  ...lambda('Invocations', cleanupName),
  ...silent,
  period: 300,
  alarmDescription: 'Cleanup has not run for five minutes: its schedule is disabled, or its role is gone.',
})

/** The alarm of the process function. */
export function watchConsumer(functionName: $util.Input<string>): void {
  alarm('ProcessErrors', {
    ...lambda('Errors', functionName),
    period: 300,
    alarmDescription: 'The consumer fails: another invocation takes its turns.',
  })
}

/**
 * The alarm of the worker. Running tasks report their processor time, so the samples of a minute are the running tasks.
 */
export function watchWorker(cluster: $util.Input<string>, service: $util.Input<string>): void {
  alarm('WorkerSilent', {
    namespace: 'AWS/ECS',
    metricName: 'CPUUtilization',
    statistic: 'SampleCount',
    dimensions: { ClusterName: cluster, ServiceName: service },
    ...silent,
    periods: 5,
    alarmDescription: 'No task of the worker has run for five minutes: turns are not worked on.',
  })
}

/** The alarms of the canary: a failed check in its last visit, and three visits in a row without success. */
export function watchCanary(everyMinutes: number): void {
  alarm('CanaryFailed', {
    ...own(metrics.canaryFailed),
    period: everyMinutes * 60,
    alarmDescription: 'A check of the canary failed. The metric names it by its code.',
  })
  alarm('CanarySilent', {
    ...own(metrics.canarySucceeded),
    ...silent,
    period: 3 * everyMinutes * 60,
    alarmDescription: 'No visit of the canary has succeeded for three times its interval.',
  })
}

// Without the name of a function, the metric covers all functions of the account, which share one limit.
alarm('Throttles', {
  ...lambda('Throttles'),
  period: 300,
  alarmDescription: 'The account refuses to start functions: its limit of concurrent executions is reached.',
})
