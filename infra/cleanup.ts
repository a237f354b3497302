import { functionArgs } from './function.ts'
import { cleanupPermissions } from './permission.ts'
import { deadCleanup } from './queue.ts'

/** Cleanup every minute. A run that fails is not repeated: the next one comes sooner than a repeat would. */
export const cleanup = new sst.aws.CronV2('Cleanup', {
  schedule: 'rate(1 minute)',
  retries: 0,
  dlq: deadCleanup.arn,
  function: {
    ...functionArgs({ name: 'cleanup', kind: 'cleanup', permissions: cleanupPermissions }),
    handler: 'functions/cleanup.handler',
    timeout: '55 seconds',
  },
})
