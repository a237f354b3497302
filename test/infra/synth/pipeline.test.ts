import { readFileSync } from 'node:fs'
import { beforeAll, expect, test } from 'vitest'
import { withEverything } from '../../support/synth/everything.ts'
import type { Made } from '../../support/synth/mocks.ts'
import { synth } from '../../support/synth/synth.ts'

/** The role that deploys may do what the plan asks for, and nothing to the resources of other products. */

type Statement = { Sid: string; Action: string[]; Resource: string | (string | { 'Fn::Sub': string })[] }

const { Resources } = JSON.parse(readFileSync('infra/pipeline/template.json', 'utf8'))
const statements: Statement[] = Resources.DeployPolicy.Properties.PolicyDocument.Statement
const actions = (sid: string) => statements.find(({ Sid }) => Sid === sid)?.Action ?? []
const servicesOf = (list: string[]) => new Set(list.map((action) => action.slice(0, action.indexOf(':'))))

/** Services by the types of resources, where a type is not called like its service. */
const services: Record<string, string> = {
  apigatewayv2: 'apigateway',
  appautoscaling: 'application-autoscaling',
}

let resources: Made[]

beforeAll(async () => {
  const plans = [await synth('production', {}, withEverything), await synth('worker')]
  resources = plans.flatMap((plan) => plan.resources).filter(({ type }) => type.startsWith('aws:'))
})

function serviceOf({ type }: Made): string {
  const [, name = ''] = /^aws:(\w+)\//.exec(type) ?? []
  if (type === 'aws:cloudwatch/logGroup:LogGroup') return 'logs'
  return services[name] ?? name
}

test('every planned resource is of a service that the role may use, and no other service is open to it', () => {
  const planned = new Set(resources.map(serviceOf))
  const open = servicesOf([
    ...actions('ResourcesWithTheNameOfTheProduct'),
    ...actions('ResourcesWhoseNamesAWSGives'),
  ])
  // Roles have statements of their own; the image of the worker is built into a repository beside the plan.
  for (const name of ['iam', 'ecr', 'cloudfront-keyvaluestore']) {
    planned.delete(name)
    open.delete(name)
  }

  expect([...open].sort()).toEqual([...planned].sort())
})

/** The address of a resource whose name the plan gives. */
const addresses: Record<string, (inputs: Record<string, unknown>) => string> = {
  'aws:budgets/budget:Budget': ({ name }) => `budgets::1:budget/${name}`,
  'aws:cloudwatch/metricAlarm:MetricAlarm': ({ name }) => `cloudwatch:r:1:alarm:${name}`,
  'aws:cloudwatch/dashboard:Dashboard': ({ dashboardName }) => `cloudwatch::1:dashboard/${dashboardName}`,
  'aws:cloudwatch/logGroup:LogGroup': ({ name }) => `logs:r:1:log-group:${name}`,
  'aws:dynamodb/table:Table': ({ name }) => `dynamodb:r:1:table/${name}`,
  'aws:ecs/cluster:Cluster': ({ name }) => `ecs:r:1:cluster/${name}`,
  'aws:lambda/function:Function': ({ name }) => `lambda:r:1:function:${name}`,
  'aws:s3/bucket:Bucket': ({ bucket }) => `s3:::${bucket}`,
  'aws:scheduler/schedule:Schedule': ({ name }) => `scheduler:r:1:schedule/default/${name}`,
  'aws:sns/topic:Topic': ({ name }) => `sns:r:1:${name}`,
  'aws:sqs/queue:Queue': ({ name }) => `sqs:r:1:${name}`,
  'aws:ssm/parameter:Parameter': ({ name }) => `ssm:r:1:parameter${name}`,
}

test('each resource with a name is one that the role may touch, and one of another product is not', () => {
  const [{ Resource = [] } = {}] = statements.filter(({ Sid }) => Sid === 'ResourcesWithTheNameOfTheProduct')
  const patterns = [Resource].flat().map((address) => {
    const text = (typeof address === 'string' ? address : address['Fn::Sub'])
      .replace(`arn:\${AWS::Partition}:`, '')
      .replace(`\${AWS::AccountId}`, '1')
    return new RegExp(`^${text.replace(/[.$]/g, '\\$&').replaceAll('*', '.*')}$`)
  })
  const isTouched = (address: string) => patterns.some((pattern) => pattern.test(address))
  const named = resources.flatMap(({ type, inputs }) => addresses[type]?.(inputs) ?? [])

  expect(named.length).toBeGreaterThan(60)
  expect(named.filter((address) => !isTouched(address))).toEqual([])
  expect(named.map((address) => address.replaceAll('ai-chat', 'shop')).filter(isTouched)).toEqual([])
})
