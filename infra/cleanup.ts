import { policyOf, useKey } from './encryption.ts'
import { functionArgs } from './function.ts'
import { cleanupPermissions } from './permission.ts'
import { deadCleanup } from './queue.ts'

const args = functionArgs({ name: 'cleanup', permissions: cleanupPermissions })

/**
 * The maximum time that a run waits for its start, in seconds. A run that waits longer is dropped, because the next run
 * starts then.
 */
const staleSeconds = 60

/** Runs cleanup every minute. A failed run is not repeated, because the next run comes sooner than a repeat would. */
export const cleanup = new sst.aws.CronV2('Cleanup', {
  schedule: 'rate(1 minute)',
  retries: 0,
  dlq: deadCleanup.arn,
  transform: {
    role: (role) => {
      if (useKey.length === 0) return
      // The scheduler sends runs that it could not start to the encrypted dead-letter queue, so its role needs the key.
      const own = { name: 'key', policy: policyOf(useKey) }
      role.inlinePolicies = $output(role.inlinePolicies).apply((given = []) => [...given, own])
    },
  },
  function: {
    ...args,
    handler: 'functions/cleanup.handler',
    timeout: '55 seconds',
    // The scheduler invokes asynchronously, and by default Lambda would repeat a failed asynchronous run twice.
    retries: 0,
    transform: { ...args.transform, eventInvokeConfig: { maximumEventAgeInSeconds: staleSeconds } },
  },
})
