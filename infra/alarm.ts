import { dimensions, metrics, namespace } from '../core/metric/name.ts'
import { api } from './api.ts'
import { cleanup } from './cleanup.ts'
import { deadCleanup, deadQueue } from './queue.ts'
import { deployment, settings } from './stage.ts'
import { topic } from './topic.ts'

if (deployment.alarmEmail !== null && deployment.alarmEmail !== 'none') {
  new aws.sns.TopicSubscription('AlarmsEmail', {
    topic: topic.arn,
    protocol: 'email',
    endpoint: deployment.alarmEmail,
  })
}

type Watched = Partial<aws.cloudwatch.MetricAlarmArgs> & {
  alarmDescription: string
  /** Periods in a row that have to be beyond the threshold. */
  periods?: number
}

function alarm(name: string, { periods = 1, ...watched }: Watched): void {
  new aws.cloudwatch.MetricAlarm(name, {
    comparisonOperator: 'GreaterThanThreshold',
    evaluationPeriods: periods,
    treatMissingData: 'notBreaching',
    alarmActions: [topic.arn],
    okActions: [topic.arn],
    threshold: 0,
    // Metric math brings periods and statistics of its own.
    ...(!watched.metricQueries && { statistic: 'Sum', period: 60 }),
    ...watched,
  })
}

const own = { namespace, dimensions: dimensions($app.stage) }

const waiting = (dead: sst.aws.Queue) => ({
  namespace: 'AWS/SQS',
  metricName: 'ApproximateNumberOfMessagesVisible',
  statistic: 'Maximum',
  dimensions: { QueueName: dead.nodes.queue.name },
})

alarm('DeadTurns', { ...waiting(deadQueue), alarmDescription: 'The dead-letter queue holds turns.' })
alarm('DeadCleanups', { ...waiting(deadCleanup), alarmDescription: 'Runs of cleanup could not be started.' })
alarm('StuckTurns', {
  ...own,
  metricName: metrics.turnsStuck,
  alarmDescription: 'Turns had no progress for five minutes, and cleanup failed them.',
})

const sumOf = (id: string, metricName: string) => ({
  id,
  metric: { ...own, metricName, stat: 'Sum', period: 300 },
})

// A wrong model id, a revoked key or lost access fails every turn while every function succeeds.
alarm('FailedTurns', {
  metricQueries: [
    sumOf('failed', metrics.turnsFailed),
    sumOf('done', metrics.turnsDone),
    {
      id: 'share',
      // Fewer than five turns say nothing about a share. Where all fail there is no value of those that were done, and
      // without FILL no value of the share.
      expression:
        'IF(FILL(failed, 0) + FILL(done, 0) >= 5, 100 * FILL(failed, 0) / (FILL(failed, 0) + FILL(done, 0)), 0)',
      label: 'Failed turns in percent',
      returnData: true,
    },
  ],
  threshold: 20,
  alarmDescription: 'More than 20 % of the turns of five minutes failed. The log names the code of each.',
})

// The age of the oldest message counts turns that run; this is the time between send and claim.
alarm('WaitingTurns', {
  ...own,
  metricName: metrics.queueWaitMs,
  statistic: undefined,
  extendedStatistic: 'p95',
  threshold: 120_000,
  periods: 3,
  alarmDescription: 'Turns wait for a consumer for longer than two minutes.',
})
// The budget of AWS sees models a day late, and not by stage; the calls themselves are counted as they end.
if (deployment.monthlyBudgetDollars !== null)
  alarm('ModelDollars', {
    ...own,
    metricName: metrics.modelMicroDollars,
    period: 86_400,
    threshold: (deployment.monthlyBudgetDollars / 10) * 1_000_000,
    alarmDescription: 'The models of one day cost more than a tenth of the budget of the month.',
  })
if (settings.dailyTokens !== null)
  alarm('StageTokens', {
    ...own,
    metricName: metrics.stageTokensPercent,
    statistic: 'Maximum',
    period: 300,
    threshold: 80,
    alarmDescription:
      'The users have used 80 % of the tokens that the stage has for today; at 100 % no turn starts.',
  })
alarm('RequestErrors', {
  namespace: 'AWS/ApiGateway',
  metricName: '5xx',
  dimensions: { ApiId: api.nodes.api.id },
  threshold: 5,
  period: 300,
  alarmDescription: 'Requests failed unexpectedly.',
})

const cleanupName = cleanup.nodes.function.name

alarm('CleanupErrors', {
  namespace: 'AWS/Lambda',
  metricName: 'Errors',
  dimensions: { FunctionName: cleanupName },
  threshold: 2,
  period: 300,
  alarmDescription: 'Cleanup fails: lost and stuck turns are not taken up.',
})

// Every other alarm takes silence for health; this one takes it for the loss of the schedule.
alarm('CleanupSilent', {
  namespace: 'AWS/Lambda',
  metricName: 'Invocations',
  dimensions: { FunctionName: cleanupName },
  comparisonOperator: 'LessThanThreshold',
  threshold: 1,
  period: 300,
  treatMissingData: 'breaching',
  alarmDescription: 'Cleanup has not run for five minutes: its schedule is disabled, or its role is gone.',
})

/** The alarm of the process function. */
export function watchConsumer(functionName: $util.Input<string>): void {
  alarm('ProcessErrors', {
    namespace: 'AWS/Lambda',
    metricName: 'Errors',
    dimensions: { FunctionName: functionName },
    period: 300,
    alarmDescription: 'The consumer fails: another invocation takes its turns.',
  })
}

/** The alarm of the worker: its tasks report their processor time, so the samples of a minute are its running tasks. */
export function watchWorker(cluster: $util.Input<string>, service: $util.Input<string>): void {
  alarm('WorkerSilent', {
    namespace: 'AWS/ECS',
    metricName: 'CPUUtilization',
    statistic: 'SampleCount',
    dimensions: { ClusterName: cluster, ServiceName: service },
    comparisonOperator: 'LessThanThreshold',
    threshold: 1,
    periods: 5,
    treatMissingData: 'breaching',
    alarmDescription: 'No task of the worker has run for five minutes: turns are not worked on.',
  })
}

/** The alarms of the canary: a check that failed in its last visit, and three visits in a row of which none succeeded. */
export function watchCanary(everyMinutes: number): void {
  alarm('CanaryFailed', {
    ...own,
    metricName: metrics.canaryFailed,
    period: everyMinutes * 60,
    alarmDescription: 'A check of the canary failed. The metric names it by its code.',
  })
  alarm('CanarySilent', {
    ...own,
    metricName: metrics.canarySucceeded,
    comparisonOperator: 'LessThanThreshold',
    threshold: 1,
    period: 3 * everyMinutes * 60,
    treatMissingData: 'breaching',
    alarmDescription: 'No visit of the canary has succeeded for three times its interval.',
  })
}

// Without a name in the dimensions: of all functions of the account, which share one limit.
alarm('Throttles', {
  namespace: 'AWS/Lambda',
  metricName: 'Throttles',
  period: 300,
  alarmDescription: 'The account refuses to start functions: its limit of concurrent executions is reached.',
})

const { accountId } = aws.getCallerIdentityOutput()

new aws.sns.TopicPolicy('AlarmsPolicy', {
  arn: topic.arn,
  policy: aws.iam.getPolicyDocumentOutput({
    statements: [
      {
        principals: [{ type: 'Service', identifiers: ['budgets.amazonaws.com', 'cloudwatch.amazonaws.com'] }],
        actions: ['sns:Publish'],
        resources: [topic.arn],
        // Without it, any account could publish through these services.
        conditions: [{ test: 'StringEquals', variable: 'aws:SourceAccount', values: [accountId] }],
      },
    ],
  }).json,
})
