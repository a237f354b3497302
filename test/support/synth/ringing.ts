import { runInNewContext } from 'node:vm'
import type { Inputs } from './mocks.ts'

/** Alarms over measured points, evaluated as CloudWatch does: by namespace, name and all dimensions of a metric. */

/** One value of a metric, with the dimensions that it is filed under. */
export type Point = { namespace: string; name: string; dimensions: Record<string, string>; value: number }

type Metric = { namespace: string; metricName: string; dimensions?: Record<string, string> }
type Query = { id: string; metric?: Metric & { stat: string }; expression?: string; returnData?: boolean }

/** The points of lines of the embedded metric format; a line is filed once under each of its sets of dimensions. */
export function pointsOf(lines: string[]): Point[] {
  return lines.flatMap((text) => {
    const line = JSON.parse(text) as Record<string, unknown> & { _aws: { CloudWatchMetrics: Directive[] } }
    return line._aws.CloudWatchMetrics.flatMap(({ Namespace: namespace, Dimensions, Metrics }) =>
      Dimensions.flatMap((names) =>
        Metrics.flatMap(({ Name: name }) => {
          const dimensions = Object.fromEntries(names.map((key) => [key, String(line[key])]))
          return [line[name]].flat().map((value) => ({ namespace, name, dimensions, value: Number(value) }))
        }),
      ),
    )
  })
}

type Directive = { Namespace: string; Dimensions: string[][]; Metrics: { Name: string }[] }

/** Whether an alarm rings after these periods, the last one at the end; each is the points of its time. */
export function rings(alarm: Inputs, periods: Point[][]): boolean {
  const wanted = Number(alarm.evaluationPeriods)
  const looked = periods.slice(-wanted)
  return looked.length === wanted && looked.every((points) => isBreaching(alarm, points))
}

function isBreaching(alarm: Inputs, points: Point[]): boolean {
  const value = measure(alarm, points)
  if (value === undefined) return alarm.treatMissingData === 'breaching'
  const threshold = Number(alarm.threshold)
  if (alarm.comparisonOperator === 'GreaterThanThreshold') return value > threshold
  if (alarm.comparisonOperator === 'LessThanThreshold') return value < threshold
  throw new Error(`The evaluator does not know ${alarm.comparisonOperator}`)
}

function measure(alarm: Inputs, points: Point[]): number | undefined {
  const queries = alarm.metricQueries as Query[] | undefined
  if (!queries)
    return statistic(String(alarm.extendedStatistic ?? alarm.statistic), of(alarm as Metric, points))
  const values = Object.fromEntries(
    queries.flatMap(({ id, metric }) => (metric ? [[id, statistic(metric.stat, of(metric, points))]] : [])),
  )
  const { expression } = queries.find(({ returnData }) => returnData) ?? {}
  const IF = (condition: boolean, yes: number, no: number) => (condition ? yes : no)
  const FILL = (value: number | undefined, otherwise: number) => value ?? otherwise
  const value = Number(runInNewContext(expression ?? '', { ...values, IF, FILL }))
  // Metric math has no value for a time at which one of its metrics has none, unless the expression fills it.
  return Number.isNaN(value) ? undefined : value
}

/** The values of a metric: AWS files a point under exactly its dimensions, and none is found under fewer. */
function of({ namespace, metricName, dimensions = {} }: Metric, points: Point[]): number[] {
  const wanted = named(dimensions)
  return points
    .filter((it) => it.namespace === namespace && it.name === metricName && named(it.dimensions) === wanted)
    .map(({ value }) => value)
}

const named = (dimensions: Record<string, string>) => JSON.stringify(Object.entries(dimensions).toSorted())

function statistic(name: string, values: number[]): number | undefined {
  if (values.length === 0) return undefined
  if (name === 'Sum') return values.reduce((sum, value) => sum + value, 0)
  if (name === 'SampleCount') return values.length
  if (name === 'Average') return values.reduce((sum, value) => sum + value, 0) / values.length
  if (name === 'Maximum') return Math.max(...values)
  const percent = /^p(\d+)$/.exec(name)?.[1]
  if (percent === undefined) throw new Error(`The evaluator does not know ${name}`)
  const at = Math.ceil((Number(percent) / 100) * values.length) - 1
  return values.toSorted((one, other) => one - other)[Math.max(0, at)]
}
