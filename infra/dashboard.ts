import { dimensions, metrics, namespace } from '../core/base/metric/name.ts'
import { api, functions } from './api.ts'
import { deadQueue, queue } from './queue.ts'
import { table } from './table.ts'

/** The dashboard of the stage: turns, queue, requests, functions, table. */

type Line = [namespace: string, metric: string, ...rest: unknown[]]

const width = 12
const height = 6

const widget = (title: string, stat: string, lines: Line[]) => ({ title, stat, lines })
const own = Object.entries(dimensions($app.stage)).flat()

const body = $resolve({
  queueName: queue.nodes.queue.name,
  deadName: deadQueue.nodes.queue.name,
  apiId: api.nodes.api.id,
  tableName: table.name,
  names: $resolve(Object.values(functions).map((fn) => fn.name)),
  region: aws.getRegionOutput().region,
}).apply(({ queueName, deadName, apiId, tableName, names, region }) => {
  const widgets = [
    widget(
      'Turns',
      'Sum',
      Object.values(metrics).map((metric): Line => [namespace, metric, ...own]),
    ),
    widget('Waiting turns, dead letters', 'Maximum', [
      ['AWS/SQS', 'ApproximateNumberOfMessagesVisible', 'QueueName', queueName],
      ['AWS/SQS', 'ApproximateAgeOfOldestMessage', 'QueueName', queueName],
      ['AWS/SQS', 'ApproximateNumberOfMessagesVisible', 'QueueName', deadName],
    ]),
    widget('Requests', 'Sum', [
      ['AWS/ApiGateway', 'Count', 'ApiId', apiId],
      ['AWS/ApiGateway', '4xx', 'ApiId', apiId],
      ['AWS/ApiGateway', '5xx', 'ApiId', apiId],
    ]),
    widget('Latency of requests', 'p95', [['AWS/ApiGateway', 'Latency', 'ApiId', apiId]]),
    widget(
      'Duration of functions',
      'p95',
      names.map((name): Line => ['AWS/Lambda', 'Duration', 'FunctionName', name]),
    ),
    widget('Capacity of the table', 'Sum', [
      ['AWS/DynamoDB', 'ConsumedReadCapacityUnits', 'TableName', tableName],
      ['AWS/DynamoDB', 'ConsumedWriteCapacityUnits', 'TableName', tableName],
    ]),
  ]
  return JSON.stringify({
    widgets: widgets.map(({ title, stat, lines }, at) => ({
      type: 'metric',
      width,
      height,
      x: (at % 2) * width,
      y: Math.floor(at / 2) * height,
      properties: { title, stat, period: 300, region, metrics: lines },
    })),
  })
})

new aws.cloudwatch.Dashboard('Dashboard', {
  dashboardName: `${$app.name}-${$app.stage}`,
  dashboardBody: body,
})
