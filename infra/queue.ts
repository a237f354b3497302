import { maxReceiveCount, retentionSeconds, visibilityTimeoutSeconds } from './limits.ts'

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
