import { dimensions, type Metric, metrics, namespace } from '../core/base/metric/name.ts'
import { stuckMs } from '../core/conversation/turn-failure.ts'
import { api } from './api.ts'
import { cleanup } from './cleanup.ts'
import { deadCleanup, deadQueue, queueMetric } from './queue.ts'
import { router } from './router.ts'
import { deployment, settings } from './stage.ts'
import { edgeTopic, topic } from './topic.ts'
import { retire } from './web.ts'

type Watched = Partial<aws.cloudwatch.MetricAlarmArgs>

/** The topic of an alarm. If the alarm belongs to another region than the stage, `provider` creates it there. */
type Told = { topic: aws.sns.Topic; provider?: aws.Provider }

/** Creates an alarm. By default, one period with a value above 0 raises it; `watched` can name another condition. */
function alarm(name: string, alarmDescription: string, watched: Watched, told: Told = { topic }): void {
  new aws.cloudwatch.MetricAlarm(
    name,
    {
      // The name contains product and stage: mails show the stage, and a role can be limited to the alarms of this
      // product.
      name: `${$app.name}-${$app.stage}-${name}`,
      alarmDescription,
      comparisonOperator: 'GreaterThanThreshold',
      threshold: 0,
      evaluationPeriods: 1,
      treatMissingData: 'notBreaching',
      alarmActions: [told.topic.arn],
      okActions: [told.topic.arn],
      ...watched,
    },
    told.provider && { provider: told.provider },
  )
}

/** Returns a metric with its statistic over each period; `period` is in seconds. */
const metricOf = (
  namespace: string,
  metricName: string,
  dimensions?: Record<string, $util.Input<string>>,
  period = 300,
  statistic = 'Sum',
) => ({ namespace, metricName, dimensions, period, statistic })

/** Returns a metric that the stage counts itself. */
const own = (metric: Metric, period: number) => metricOf(namespace, metric, dimensions($app.stage), period)

/** Returns a metric of Lambda, of one function or of all functions of the account. */
const lambda = (metric: string, name?: $util.Input<string>) =>
  metricOf('AWS/Lambda', metric, name === undefined ? undefined : { FunctionName: name })

/** Returns the number of waiting messages of a queue. */
const waitingIn = (queue: sst.aws.Queue) => ({
  ...queueMetric(queue, 'waiting'),
  period: 60,
  statistic: 'Maximum',
})

/** Watches the 95th percentile of a duration, in three consecutive periods. */
const slow = (metric: Metric, period: number, threshold: number) => ({
  ...own(metric, period),
  statistic: undefined,
  extendedStatistic: 'p95',
  evaluationPeriods: 3,
  threshold,
})

/**
 * The condition of an alarm that is raised if a count stays below 1 or is missing; every other alarm treats missing
 * data as healthy.
 */
const silent = { comparisonOperator: 'LessThanThreshold', threshold: 1, treatMissingData: 'breaching' }

/** Watches the value of an expression. The expression uses each metric by its key in `parts`. */
const computed = (
  id: string,
  label: string,
  expression: string,
  parts: Record<string, ReturnType<typeof metricOf>>,
) => ({
  metricQueries: [
    ...Object.entries(parts).map(([part, { statistic: stat, ...metric }]) => ({
      id: part,
      metric: { ...metric, stat },
    })),
    { id, expression, label, returnData: true },
  ],
})

/**
 * Watches the share of bad events in percent; with fewer than `least` events the share counts as 0. If all events are
 * bad, CloudWatch has no value for the good events. FILL makes that value 0; otherwise the share would have no value.
 */
function share(bad: Metric, good: Metric, period: number, least: number) {
  const sum = 'FILL(bad, 0) + FILL(good, 0)'
  const expression = `IF(${sum} >= ${least}, 100 * FILL(bad, 0) / (${sum}), 0)`
  return computed('share', 'Share in percent', expression, { bad: own(bad, period), good: own(good, period) })
}

alarm('DeadTurns', 'The dead-letter queue holds turns.', waitingIn(deadQueue))
alarm('DeadCleanups', 'Runs of cleanup could not be started.', waitingIn(deadCleanup))
alarm(
  'StuckTurns',
  `Turns had no progress for ${stuckMs / 60_000} minutes, and cleanup failed them.`,
  own(metrics.turnsStuck, 60),
)
// With a wrong model id, a revoked key or lost access, every turn fails although every function succeeds.
alarm('FailedTurns', 'More than 20 % of the turns of five minutes failed. The log names the code of each.', {
  ...share(metrics.turnsFailed, metrics.turnsDone, 300, 5),
  threshold: 20,
})
// A site with a few turns an hour never has five turns in five minutes; this alarm counts over six hours.
alarm(
  'FailedTurnsOfHours',
  'More than half of the turns of six hours failed. The log names the code of each.',
  { ...share(metrics.turnsFailed, metrics.turnsDone, 6 * 3_600, 3), threshold: 50 },
)
// With a wrong exchange key, a wrong clock or a lost secret, nobody can log in, but no function fails.
alarm(
  'RefusedSessions',
  'Most logins and exchanges of 15 minutes were refused. The metric names the code of each.',
  { ...share(metrics.sessionsRefused, metrics.sessionsStarted, 900, 5), threshold: 80 },
)
alarm('SlowModel', 'Model calls take longer than two minutes.', slow(metrics.modelMs, 300, 120_000))
alarm('SlowTurns', 'Turns take longer than ten minutes.', slow(metrics.turnMs, 300, 600_000))
// Watches the time between send and claim of a turn. The age of the oldest message would also count running turns.
alarm(
  'WaitingTurns',
  'Turns wait for a consumer for longer than two minutes.',
  slow(metrics.queueWaitMs, 60, 120_000),
)
// The budget of AWS gets the cost of models a day late, and not per stage. This metric counts each call when it ends.
if (deployment.monthlyBudgetDollars !== null)
  alarm('ModelDollars', 'The models of one day cost more than a tenth of the budget of the month.', {
    ...own(metrics.modelMicroDollars, 86_400),
    threshold: (deployment.monthlyBudgetDollars / 10) * 1_000_000,
  })
if (settings.dailyTokens !== null)
  alarm(
    'StageTokens',
    'The users have used 80 % of the tokens that the stage has for today; at 100 % no turn starts.',
    { ...own(metrics.stageTokensPercent, 300), statistic: 'Maximum', threshold: 80 },
  )
// API Gateway also counts requests that the stage refuses on purpose, for maintenance or too many waiting turns.
const errors = metricOf('AWS/ApiGateway', '5xx', { ApiId: api.nodes.api.id })
const unexpected = computed(
  'unexpected',
  'Requests that failed unexpectedly',
  'FILL(errors, 0) - FILL(intended, 0)',
  { errors, intended: own(metrics.requestsDeclined, 300) },
)
alarm('RequestErrors', 'Requests failed unexpectedly.', { ...unexpected, threshold: 5 })
// A certificate, a firewall rule or a wrong origin fails requests before they reach the gateway.
const site = { DistributionId: router.nodes.cdn.nodes.distribution.id, Region: 'Global' }
alarm(
  'EdgeErrors',
  'More than a quarter of all requests failed at the edge for 15 minutes.',
  {
    ...metricOf('AWS/CloudFront', '5xxErrorRate', site, 300, 'Average'),
    evaluationPeriods: 3,
    threshold: 25,
  },
  edgeTopic,
)
alarm('RetireErrors', 'Parts of earlier releases are not removed.', {
  ...lambda('Errors', retire.nodes.function.name),
  period: 86_400,
})
const cleanupName = cleanup.nodes.function.name
alarm('CleanupErrors', 'Cleanup fails: lost and stuck turns are not taken up.', {
  ...lambda('Errors', cleanupName),
  threshold: 2,
})
alarm(
  'CleanupSilent',
  'Cleanup has not run for five minutes: its schedule is disabled, or its role is gone.',
  { ...lambda('Invocations', cleanupName), ...silent },
)
// Without the name of a function, the metric covers all functions of the account, which share one limit.
alarm(
  'Throttles',
  'The account refuses to start functions: its limit of concurrent executions is reached.',
  lambda('Throttles'),
)

/** Creates the alarm of the process function. */
export function watchConsumer(functionName: $util.Input<string>): void {
  alarm(
    'ProcessErrors',
    'The consumer fails: another invocation takes its turns.',
    lambda('Errors', functionName),
  )
}

/**
 * Creates the alarm of the worker from the metric of its processor time. Each running task reports once a minute: the
 * number of samples is the number of tasks.
 */
export function watchWorker(tasks: Watched): void {
  alarm('WorkerSilent', 'No task of the worker has run for five minutes: turns are not worked on.', {
    ...tasks,
    period: 60,
    statistic: 'SampleCount',
    ...silent,
    evaluationPeriods: 5,
  })
}

/** Creates the alarms of the canary: a failed check in its last visit, and no success for a number of intervals. */
export function watchCanary(everyMinutes: number, turnsEveryHours: number): void {
  alarm(
    'CanaryFailed',
    'A check of the canary failed. The metric names it by its code.',
    own(metrics.canaryFailed, everyMinutes * 60),
  )
  alarm('CanarySilent', 'No visit of the canary has succeeded for three times its interval.', {
    ...own(metrics.canarySucceeded, 3 * everyMinutes * 60),
    ...silent,
  })
  // Visits without turns hide a visit with turns that dies before it counts anything.
  alarm('CanaryTurnsSilent', 'No visit of the canary with turns has succeeded for twice its interval.', {
    ...own(metrics.canaryTurnsSucceeded, turnsEveryHours * 3_600),
    ...silent,
    evaluationPeriods: 2,
  })
}
