import { watchWorker } from './alarm.ts'
import { policyOf, useKey } from './encryption.ts'
import { worker as figures, workerStopSeconds } from './limits.ts'
import { names } from './link.ts'
import { consumerPermissions } from './permission.ts'
import { queue, queueMetric, receive } from './queue.ts'
import { turnSecrets } from './secret.ts'
import { deployment, logRetention } from './stage.ts'

/** Public subnets without a NAT: the tasks have their own public addresses, and accept no connections. */
const vpc = new sst.aws.Vpc('Vpc')
const cluster = new sst.aws.Cluster('Cluster', { vpc })
const permissions = [...useKey, ...consumerPermissions, receive]

/**
 * A task definition shows its environment to every reader of ECS. The secrets are therefore parameters that ECS fetches
 * at the task's start.
 */
const parameters = new Map(
  [...turnSecrets].map(([variable, { value }]) => [
    variable,
    new aws.ssm.Parameter(`Worker${variable}`, {
      name: `/${$app.name}/${$app.stage}/worker/${variable}`,
      type: 'SecureString',
      value,
    }),
  ]),
)
const parameterArns = [...parameters.values()].map(({ arn }) => arn)

/** `ai-chat:worker` on Fargate. A stopping task gives its turns back, and another task continues them. */
export const service = new sst.aws.Service('Worker', {
  cluster,
  architecture: 'arm64',
  cpu: `${figures.cpu} vCPU`,
  memory: `${figures.memoryGigabytes} GB`,
  image: { context: '.', dockerfile: 'infra/worker.Dockerfile' },
  command: ['node', 'scripts/worker.mjs', '--concurrency', String(figures.concurrency)],
  environment: {
    ...names,
    // A new value of a secret creates a new task definition; new tasks then replace the tasks with the old value.
    AI_CHAT_SECRETS_OF: $resolve([...parameters.values()].map(({ version }) => version)).apply((versions) =>
      versions.join('-'),
    ),
  },
  ssm: Object.fromEntries([...parameters].map(([variable, { arn }]) => [variable, arn])),
  logging: { retention: logRetention },
  scaling: { ...figures.tasks, cpuUtilization: false, memoryUtilization: false },
  permissions,
  transform: {
    // By default SST lets people with AWS access open a shell in the task; this statement replaces the policy that
    // allows it.
    taskRole: { inlinePolicies: [{ name: 'inline', policy: policyOf(permissions) }] },
    executionRole: (args) => {
      // By default SST lets this role read every parameter and secret of the account.
      const actions = ['ssm:GetParameters', ...(deployment.kmsKeyArn ? ['kms:Decrypt'] : [])]
      const resources = [...parameterArns, ...(deployment.kmsKeyArn ? [deployment.kmsKeyArn] : [])]
      args.inlinePolicies = [{ name: 'inline', policy: policyOf([{ actions, resources }]) }]
    },
    taskDefinition: (args) => {
      args.containerDefinitions = $jsonParse(args.containerDefinitions).apply((containers) =>
        JSON.stringify(
          containers.map((container: object) => ({ ...container, stopTimeout: workerStopSeconds })),
        ),
      )
    },
    service: { enableExecuteCommand: false },
  },
})

const target = service.nodes.autoScalingTarget

/** The processor time of the tasks. */
const tasks = {
  namespace: 'AWS/ECS',
  metricName: 'CPUUtilization',
  dimensions: { ClusterName: cluster.nodes.cluster.name, ServiceName: service.nodes.service.name },
}
type Metric = { namespace: string; metricName: string; dimensions: Record<string, $util.Output<string>> }

/** Returns the query of a metric; the turns per task are computed from these metrics. */
function measured(id: string, stat: string, { dimensions, ...metric }: Metric) {
  const named = Object.entries(dimensions).map(([name, value]) => ({ name, value }))
  return { id, returnData: false, metricStat: { metric: { ...metric, dimensions: named }, stat } }
}

/**
 * Scales the tasks to a target number of turns per task. Running turns count, too: otherwise a stage without waiting
 * turns would stop tasks in the middle of a turn.
 */
new aws.appautoscaling.Policy('WorkerQueueDepth', {
  policyType: 'TargetTrackingScaling',
  resourceId: target.resourceId,
  scalableDimension: target.scalableDimension,
  serviceNamespace: target.serviceNamespace,
  targetTrackingScalingPolicyConfiguration: {
    targetValue: figures.concurrency,
    scaleOutCooldown: 60,
    scaleInCooldown: 300,
    customizedMetricSpecification: {
      metrics: [
        measured('visible', 'Maximum', queueMetric(queue, 'waiting')),
        measured('running', 'Maximum', queueMetric(queue, 'running')),
        measured('tasks', 'SampleCount', tasks),
        { id: 'turnsPerTask', expression: '(visible + running) / IF(tasks > 0, tasks, 1)', returnData: true },
      ],
    },
  },
})

watchWorker(tasks)
