import { policyOf, useKey } from './encryption.ts'
import { functionArgs } from './function.ts'
import { cleanupPermissions } from './permission.ts'
import { deadCleanup } from './queue.ts'

const args = functionArgs({ name: 'cleanup', kind: 'cleanup', permissions: cleanupPermissions })

/** The longest wait of a run for its start, in seconds: the next one comes then. */
const staleSeconds = 60

/** Cleanup every minute. A run that fails is not repeated: the next one comes sooner than a repeat would. */
export const cleanup = new sst.aws.CronV2('Cleanup', {
  schedule: 'rate(1 minute)',
  retries: 0,
  dlq: deadCleanup.arn,
  transform: {
    role: (role) => {
      if (useKey.length === 0) return
      // The scheduler itself puts a run that it could not start on the queue.
      const own = { name: 'key', policy: policyOf(useKey) }
      role.inlinePolicies = $output(role.inlinePolicies).apply((given = []) => [...given, own])
    },
  },
  function: {
    ...args,
    handler: 'functions/cleanup.handler',
    timeout: '55 seconds',
    // The scheduler invokes asynchronously, and Lambda itself would repeat such a run twice.
    retries: 0,
    transform: {
      ...args.transform,
      eventInvokeConfig: (config) => {
        config.maximumEventAgeInSeconds = staleSeconds
      },
    },
  },
})
