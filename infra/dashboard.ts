import { dimensions, metrics, namespace } from '../core/base/metric/name.ts'
import { api, functions } from './api.ts'
import { deadQueue, queue, queueMetric } from './queue.ts'
import { table } from './table.ts'

/** The dashboard of the stage: turns, queue, requests, functions, table. */

const width = 12
const height = 6

/** Returns a diagram of metrics by one statistic, such as the sum or the 95th percentile. */
const diagram = (title: string, stat: string, shown: unknown[][]) => ({
  title,
  stat,
  period: 300,
  region: aws.getRegionOutput().region,
  metrics: shown,
})

const own = Object.entries(dimensions($app.stage)).flat()
const ofApi = (name: string) => ['AWS/ApiGateway', name, 'ApiId', api.nodes.api.id]
const ofTable = (name: string) => ['AWS/DynamoDB', name, 'TableName', table.name]
const ofQueue = (...asked: Parameters<typeof queueMetric>) => {
  const metric = queueMetric(...asked)
  return [metric.namespace, metric.metricName, ...Object.entries(metric.dimensions).flat()]
}

const diagrams = [
  diagram(
    'Turns',
    'Sum',
    Object.values(metrics).map((metric) => [namespace, metric, ...own]),
  ),
  diagram('Waiting turns, dead letters', 'Maximum', [
    ofQueue(queue, 'waiting'),
    ofQueue(queue, 'age'),
    ofQueue(deadQueue, 'waiting'),
  ]),
  diagram('Requests', 'Sum', ['Count', '4xx', '5xx'].map(ofApi)),
  diagram('Latency of requests', 'p95', [ofApi('Latency')]),
  diagram(
    'Duration of functions',
    'p95',
    Object.values(functions).map(({ name }) => ['AWS/Lambda', 'Duration', 'FunctionName', name]),
  ),
  diagram(
    'Capacity of the table',
    'Sum',
    ['ConsumedReadCapacityUnits', 'ConsumedWriteCapacityUnits'].map(ofTable),
  ),
]

new aws.cloudwatch.Dashboard('Dashboard', {
  dashboardName: `${$app.name}-${$app.stage}`,
  dashboardBody: $jsonStringify({
    widgets: diagrams.map((properties, at) => ({
      type: 'metric',
      width,
      height,
      x: (at % 2) * width,
      y: Math.floor(at / 2) * height,
      properties,
    })),
  }),
})
