/**
 * The figures of the machinery around the functions, the same on AWS and on the local stage: the deployed resources
 * and the emulation of them read this one list.
 */

/** How long one request may take before the gateway gives up on it, in milliseconds; API Gateway's own end is 30 s. */
export const requestTimeoutMs = 29_000

/** Bytes of an event or an answer as JSON, at most, for one invocation. A limit of AWS. */
export const payloadBytes = 6_291_456

/** How long one invocation of the consumer may take, in seconds; Lambda's highest. */
export const processTimeoutSeconds = 900

/** How long a received message stays hidden, in seconds: six times the consumer's timeout, as AWS advises. */
export const visibilityTimeoutSeconds = 6 * processTimeoutSeconds

/** After so many vain deliveries a message goes to the dead-letter queue. */
export const maxReceiveCount = 5

/** How long messages are kept, in seconds: 4 days in the queue, 14 in the dead-letter queue. */
export const retentionSeconds = { queue: 4 * 86_400, dead: 14 * 86_400 }

/** How often cleanup runs, in milliseconds. */
export const cleanupIntervalMs = 60_000

/** How long one visit of the canary may take, in seconds: three turns, and the removal of what it leaves. */
export const canaryTimeoutSeconds = 300

/** Memory of the functions in megabytes: processing power grows with it, and so does what a second costs. */
export const memoryMegabytes = {
  web: 512,
  process: 1_024,
  cleanup: 256,
  apply: 256,
  canary: 256,
  retire: 256,
}

/** A Fargate task of the worker: its share of a processor, its memory in gigabytes, its turns at once, its number. */
export const worker = { cpu: 0.5, memoryGigabytes: 2, concurrency: 16, tasks: { min: 1, max: 4 } } as const

/** How long a stopping worker may take, in seconds: it ends or gives back its turns within 30. */
export const workerStopSeconds = 60

/** The load that a stage is made for where its deployment file says nothing else, and that of the local stage. */
export const usualLoad = { turns: 50, requestsPerSecond: 100, burst: 200 }
