/**
 * List prices of AWS in US dollars, us-east-1, without a free tier, as of November 2026. Look them up again before you
 * rely on a figure: https://aws.amazon.com/pricing/
 */
export const price = {
  /** Lambda on arm64: per invocation, and per gigabyte and second. */
  invocation: 0.2e-6,
  gigabyteSecond: 13.3334e-6,
  /** API Gateway, HTTP API: per request of up to 512 KB. */
  apiRequest: 1e-6,
  /** CloudFront: per HTTPS request, and per run of an edge function. */
  cdnRequest: 1e-6,
  edgeRun: 0.1e-6,
  /** DynamoDB on demand: per unit, per gigabyte and month of the table, per gigabyte and month of its backup. */
  readUnit: 0.125e-6,
  writeUnit: 0.625e-6,
  tableGigabyte: 0.25,
  backupGigabyte: 0.2,
  /** SQS, standard queue: per request. */
  queueRequest: 0.4e-6,
  /** CloudWatch: per gigabyte of ingested logs; per alarm, dashboard and metric in a month. */
  logGigabyte: 0.5,
  alarm: 0.1,
  dashboard: 3,
  metric: 0.3,
  /** EventBridge Scheduler: per invocation. */
  schedule: 1e-6,
  /** Fargate on arm64: per processor and hour, per gigabyte and hour, per public address and hour. */
  processorHour: 0.03238,
  gigabyteHour: 0.00356,
  addressHour: 0.005,
} as const

/** The hours of an average month, as AWS counts it. */
export const hoursPerMonth = 730
/** The minutes of an average month. */
export const minutesPerMonth = hoursPerMonth * 60
