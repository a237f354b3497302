import { Metrics, MetricUnit } from '@aws-lambda-powertools/metrics'
import { config } from '../config.ts'
import { dimensions, type Metric, namespace } from './name.ts'

let made: Metrics | undefined

/** The kind of an event, such as the code of a failed turn. CloudWatch counts the event per kind and per stage. */
type MetricKind = { code: string }

/** Counts events for the operator in CloudWatch's embedded format. Writes nothing for 0 and on the local stage. */
export function count(metric: Metric, times = 1, kind?: MetricKind): void {
  if (times === 0) return
  write(metric, MetricUnit.Count, times)
  if (kind) write(metric, MetricUnit.Count, times, kind)
}

/** Reports a duration in milliseconds; CloudWatch keeps the distribution. */
export function measure(metric: Metric, milliseconds: number): void {
  write(metric, MetricUnit.Milliseconds, milliseconds)
}

/** Reports a share of a whole in percent; `part` is 1 for the whole. */
export function share(metric: Metric, part: number): void {
  write(metric, MetricUnit.Percent, Math.round(part * 1_000) / 10)
}

type Unit = (typeof MetricUnit)[keyof typeof MetricUnit]

function write(metric: Metric, unit: Unit, value: number, kind?: MetricKind): void {
  const { isLocal, stage } = config()
  if (isLocal) return
  made ??= new Metrics({ namespace, defaultDimensions: dimensions(stage) })
  const single = made.singleMetric()
  if (kind) single.addDimensions(kind)
  single.addMetric(metric, unit, value)
}
