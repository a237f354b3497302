import { maxReceiveCount, retentionSeconds, visibilityTimeoutSeconds } from './limits.ts'

/** The queues of the stage, with the names that only SQS uses: its actions and its metrics. */

const retention = (seconds: number) => ({
  queue: { messageRetentionSeconds: seconds, sqsManagedSseEnabled: true },
})

/** Messages of turns that no consumer could run; each message raises an alarm. */
export const deadQueue = new sst.aws.Queue('ProcessDead', { transform: retention(retentionSeconds.dead) })

/** Turns that wait for a consumer. */
export const queue = new sst.aws.Queue('Process', {
  visibilityTimeout: `${visibilityTimeoutSeconds} seconds`,
  dlq: { queue: deadQueue.arn, retry: maxReceiveCount },
  transform: retention(retentionSeconds.queue),
})

/** Runs of cleanup that could not be started. */
export const deadCleanup = new sst.aws.Queue('CleanupDead', { transform: retention(retentionSeconds.dead) })

/** The permission to send turns. */
export const send = { actions: ['sqs:SendMessage'], resources: [queue.arn] }

/** The permission to count the waiting turns and the dead letters. */
export const depth = { actions: ['sqs:GetQueueAttributes'], resources: [queue.arn, deadQueue.arn] }

/**
 * The permission to receive turns. Only the worker needs it, because Lambda itself receives the messages for functions.
 */
export const receive = {
  actions: ['sqs:ReceiveMessage', 'sqs:DeleteMessage', 'sqs:ChangeMessageVisibility'],
  resources: [queue.arn],
}

const measured = {
  waiting: 'ApproximateNumberOfMessagesVisible',
  running: 'ApproximateNumberOfMessagesNotVisible',
  age: 'ApproximateAgeOfOldestMessage',
}

/** Returns a metric of a queue in CloudWatch: its waiting or running messages, or the age of its oldest message. */
export const queueMetric = ({ nodes }: sst.aws.Queue, metric: keyof typeof measured) => ({
  namespace: 'AWS/SQS',
  metricName: measured[metric],
  dimensions: { QueueName: nodes.queue.name },
})
