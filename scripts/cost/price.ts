/**
 * List prices of AWS in US dollars, us-east-1, without any free tier, as of November 2026. Look them up again before
 * you rely on a figure: https://aws.amazon.com/pricing/
 */
export const price = {
  /** Lambda on arm64: each invocation, each gigabyte and second. */
  invocation: 0.2e-6,
  gigabyteSecond: 13.3334e-6,
  /** API Gateway, HTTP API: each request of up to 512 KB. */
  apiRequest: 1e-6,
  /** CloudFront: each HTTPS request, each run of a function at the edge. */
  cdnRequest: 1e-6,
  edgeRun: 0.1e-6,
  /** DynamoDB on demand: each unit, each gigabyte and month, the same again with its backup. */
  readUnit: 0.125e-6,
  writeUnit: 0.625e-6,
  tableGigabyte: 0.25,
  backupGigabyte: 0.2,
  /** SQS, standard: each request. */
  queueRequest: 0.4e-6,
  /** CloudWatch: each gigabyte of logs taken in, each alarm, dashboard and metric a month. */
  logGigabyte: 0.5,
  alarm: 0.1,
  dashboard: 3,
  metric: 0.3,
  /** EventBridge Scheduler: each invocation. */
  schedule: 1e-6,
  /** Fargate on arm64: each processor and hour, each gigabyte and hour; each public address and hour. */
  processorHour: 0.03238,
  gigabyteHour: 0.00356,
  addressHour: 0.005,
} as const

/** An average month, as AWS counts it. */
export const hoursPerMonth = 730
/** The same in minutes. */
export const minutesPerMonth = hoursPerMonth * 60
