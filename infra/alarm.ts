import { dimensions, metrics, namespace } from '../core/metric/name.ts'
import { api } from './api.ts'
import { cleanup } from './cleanup.ts'
import { deadCleanup, deadQueue, queue } from './queue.ts'
import { deployment } from './stage.ts'

/** What wakes somebody: lost turns, stuck turns, failures, refused load, and money. */

const topic = new aws.sns.Topic('Alarms')

if (deployment.alarmEmail) {
  new aws.sns.TopicSubscription('AlarmsEmail', {
    topic: topic.arn,
    protocol: 'email',
    endpoint: deployment.alarmEmail,
  })
}

type Watched = Pick<
  aws.cloudwatch.MetricAlarmArgs,
  'namespace' | 'metricName' | 'dimensions' | 'alarmDescription' | 'threshold' | 'statistic' | 'period'
> & { minutes?: number }

function alarm(name: string, { minutes = 1, ...watched }: Watched): void {
  new aws.cloudwatch.MetricAlarm(name, {
    comparisonOperator: 'GreaterThanThreshold',
    evaluationPeriods: minutes,
    treatMissingData: 'notBreaching',
    alarmActions: [topic.arn],
    okActions: [topic.arn],
    statistic: 'Sum',
    period: 60,
    threshold: 0,
    ...watched,
  })
}

const lying = (dead: sst.aws.Queue) => ({
  namespace: 'AWS/SQS',
  metricName: 'ApproximateNumberOfMessagesVisible',
  statistic: 'Maximum',
  dimensions: { QueueName: dead.nodes.queue.name },
})

alarm('DeadTurns', { ...lying(deadQueue), alarmDescription: 'Turns lie in the dead-letter queue.' })
alarm('DeadCleanups', { ...lying(deadCleanup), alarmDescription: 'Runs of cleanup could not be started.' })
alarm('StuckTurns', {
  namespace,
  metricName: metrics.turnsStuck,
  dimensions: dimensions($app.stage),
  alarmDescription: 'Turns had no progress for five minutes and were failed.',
})
alarm('WaitingTurns', {
  namespace: 'AWS/SQS',
  metricName: 'ApproximateAgeOfOldestMessage',
  statistic: 'Maximum',
  dimensions: { QueueName: queue.nodes.queue.name },
  threshold: 120,
  minutes: 3,
  alarmDescription: 'Turns wait for longer than two minutes for a consumer.',
})
alarm('RequestErrors', {
  namespace: 'AWS/ApiGateway',
  metricName: '5xx',
  dimensions: { ApiId: api.nodes.api.id },
  threshold: 5,
  period: 300,
  alarmDescription: 'Requests failed unexpectedly.',
})
alarm('CleanupErrors', {
  namespace: 'AWS/Lambda',
  metricName: 'Errors',
  dimensions: { FunctionName: cleanup.nodes.function.name },
  threshold: 2,
  period: 300,
  alarmDescription: 'Cleanup fails: lost and stuck turns are not taken up.',
})

/** The alarm of the process function. The worker has no invocations: its trouble shows as waiting turns. */
export function watchConsumer(functionName: $util.Input<string>): void {
  alarm('ProcessErrors', {
    namespace: 'AWS/Lambda',
    metricName: 'Errors',
    dimensions: { FunctionName: functionName },
    period: 300,
    alarmDescription: 'The consumer fails: its turns are given to another one.',
  })
}

/** Without a name in the dimensions: of all functions of the account, which share one limit. */
alarm('Throttles', {
  namespace: 'AWS/Lambda',
  metricName: 'Throttles',
  period: 300,
  alarmDescription: 'The account refuses to start functions: its limit of concurrent executions is reached.',
})

new aws.sns.TopicPolicy('AlarmsPolicy', {
  arn: topic.arn,
  policy: aws.iam.getPolicyDocumentOutput({
    statements: [
      {
        principals: [{ type: 'Service', identifiers: ['budgets.amazonaws.com', 'cloudwatch.amazonaws.com'] }],
        actions: ['sns:Publish'],
        resources: [topic.arn],
      },
    ],
  }).json,
})

if (deployment.monthlyBudgetDollars !== null) {
  new aws.budgets.Budget('Cost', {
    budgetType: 'COST',
    limitAmount: String(deployment.monthlyBudgetDollars),
    limitUnit: 'USD',
    timeUnit: 'MONTHLY',
    // SST tags all that it makes; the account has to count costs by this tag.
    costFilters: [{ name: 'TagKeyValue', values: [`user:sst:stage$${$app.stage}`] }],
    notifications: [
      {
        comparisonOperator: 'GREATER_THAN',
        notificationType: 'FORECASTED',
        threshold: 100,
        thresholdType: 'PERCENTAGE',
        subscriberSnsTopicArns: [topic.arn],
      },
    ],
  })
}
