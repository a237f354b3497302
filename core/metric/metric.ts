import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics'
import { config } from '../stage/config.ts'
import { dimensions, type Metric, namespace } from './name.ts'

let made: Metrics | undefined

/** A count by kind, such as failed turns by their code: it is filed under the kind, and under the stage as a whole. */
type Kind = { code: string }

/** Counts for the operator, as CloudWatch's embedded format; 0 writes nothing, and the local stage has no operator. */
export function count(metric: Metric, times = 1, kind?: Kind): void {
  if (times === 0) return
  write(metric, MetricUnit.Count, times)
  if (kind) write(metric, MetricUnit.Count, times, kind)
}

/** Reports a duration in milliseconds, of which CloudWatch keeps the distribution. */
export function measure(metric: Metric, milliseconds: number): void {
  write(metric, MetricUnit.Milliseconds, milliseconds)
}

/** Reports a share of a whole, 1 for all of it, in percent. */
export function share(metric: Metric, part: number): void {
  write(metric, MetricUnit.Percent, Math.round(part * 1_000) / 10)
}

type Unit = (typeof MetricUnit)[keyof typeof MetricUnit]

function write(metric: Metric, unit: Unit, value: number, kind?: Kind): void {
  const { isLocal, stage } = config()
  if (isLocal) return
  made ??= new Metrics({ namespace, defaultDimensions: dimensions(stage) })
  const single = made.singleMetric()
  if (kind) single.addDimensions(kind)
  single.addMetric(metric, unit, value)
}
