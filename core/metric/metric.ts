import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics'
import { config } from '../stage/config.ts'
import { dimensions, type Metric, namespace } from './name.ts'

let made: Metrics | undefined

/** Counts for the operator, as CloudWatch's embedded format; 0 tells nothing. The local stage has nobody to tell. */
export function count(metric: Metric, times = 1): void {
  const { isLocal, stage } = config()
  if (isLocal || times === 0) return
  made ??= new Metrics({ namespace, defaultDimensions: dimensions(stage) })
  made.singleMetric().addMetric(metric, MetricUnit.Count, times)
}
