import { maxReceiveCount, retentionSeconds, visibilityTimeoutSeconds } from './limits.ts'

const kept = (seconds: number) => ({
  queue: { messageRetentionSeconds: seconds, sqsManagedSseEnabled: true },
})

/** Turns that no consumer could take up: each one is an alarm. */
export const deadQueue = new sst.aws.Queue('ProcessDead', { transform: kept(retentionSeconds.dead) })

/** Turns that wait for a consumer. */
export const queue = new sst.aws.Queue('Process', {
  visibilityTimeout: `${visibilityTimeoutSeconds} seconds`,
  dlq: { queue: deadQueue.arn, retry: maxReceiveCount },
  transform: kept(retentionSeconds.queue),
})

/** Runs of cleanup that could not be started. */
export const deadCleanup = new sst.aws.Queue('CleanupDead', { transform: kept(retentionSeconds.dead) })
