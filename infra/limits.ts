/**
 * The limits of the infrastructure around the functions. The deployed resources and their emulation on the local stage
 * read this one list.
 */

/** Time limit of one request at the gateway, in milliseconds; the limit of API Gateway itself is 30 s. */
export const requestTimeoutMs = 29_000

/** Maximum size of an event or an answer of one invocation, in bytes of JSON. A limit of AWS. */
export const payloadBytes = 6_291_456

/** Time limit of one invocation of the consumer, in seconds; the maximum of Lambda. */
export const processTimeoutSeconds = 900

/** Time for which a received message stays hidden, in seconds: six times the consumer's timeout, as AWS advises. */
export const visibilityTimeoutSeconds = 6 * processTimeoutSeconds

/** Number of failed deliveries after which a message goes to the dead-letter queue. */
export const maxReceiveCount = 5

/** Retention of messages, in seconds: 4 days in the queue, 14 days in the dead-letter queue. */
export const retentionSeconds = { queue: 4 * 86_400, dead: 14 * 86_400 }

/** Interval between two runs of cleanup, in milliseconds. */
export const cleanupIntervalMs = 60_000

/** Time limit of one visit of the canary, in seconds. A visit runs three turns and then removes its conversations. */
export const canaryTimeoutSeconds = 300

/**
 * Memory of the functions in megabytes. A function with more memory has more processing power and costs more per
 * second.
 */
export const memoryMegabytes = {
  web: 512,
  process: 1_024,
  cleanup: 256,
  apply: 256,
  canary: 256,
  retire: 256,
}

/**
 * The size of a Fargate task of the worker (processors, memory in gigabytes, parallel turns), and the number of tasks.
 */
export const worker = { cpu: 0.5, memoryGigabytes: 2, concurrency: 16, tasks: { min: 1, max: 4 } } as const

/** Time limit for the stop of a worker, in seconds. The worker ends its turns or gives them back within 30 seconds. */
export const workerStopSeconds = 60

/** The load limits of the local stage, and of a stage whose deployment file sets no limits. */
export const usualLoad = { turns: 50, requestsPerSecond: 100, burst: 200 }
