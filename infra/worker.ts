import { worker as figures, workerStopSeconds } from './limits.ts'
import { shared } from './link.ts'
import { consumerPermissions, receivePermissions } from './permission.ts'
import { queue } from './queue.ts'
import { modelSecrets } from './secret.ts'
import { logRetention } from './stage.ts'

/** Public subnets without a NAT: the tasks have addresses of their own and let nobody in. */
const vpc = new sst.aws.Vpc('Vpc')
const cluster = new sst.aws.Cluster('Cluster', { vpc })
const permissions = [...consumerPermissions, ...receivePermissions]

/** `ai-chat:worker` on Fargate; a stopping task gives its turns back, and another one goes on. */
export const service = new sst.aws.Service('Worker', {
  cluster,
  architecture: 'arm64',
  cpu: `${figures.cpu} vCPU`,
  memory: `${figures.memoryGigabytes} GB`,
  image: { context: '.', dockerfile: 'infra/worker.Dockerfile' },
  command: ['node', 'scripts/worker.ts', '--concurrency', String(figures.concurrency)],
  link: [...shared, ...modelSecrets],
  logging: { retention: logRetention },
  scaling: { ...figures.tasks, cpuUtilization: false, memoryUtilization: false },
  permissions,
  transform: {
    taskRole: (args) => {
      // SST adds a shell into the task for whoever may open one; nobody may.
      args.inlinePolicies = [{ name: 'inline', policy: policyOf(permissions) }]
    },
    executionRole: (args) => {
      // SST would let it read every secret of the account; this task has none there.
      args.inlinePolicies = []
    },
    taskDefinition: (args) => {
      args.containerDefinitions = $jsonParse(args.containerDefinitions).apply((containers) =>
        JSON.stringify(
          containers.map((container: object) => ({ ...container, stopTimeout: workerStopSeconds })),
        ),
      )
    },
    service: (args) => {
      args.enableExecuteCommand = false
    },
  },
})

function policyOf(statements: sst.aws.FunctionPermissionArgs[]) {
  return aws.iam.getPolicyDocumentOutput({
    statements: statements.map(({ actions, resources }) => ({ actions, resources })),
  }).json
}

const target = service.nodes.autoScalingTarget

/** So many waiting turns a task are in order; more start another one, fewer end one. */
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
      namespace: 'AWS/SQS',
      metricName: 'ApproximateNumberOfMessagesVisible',
      statistic: 'Maximum',
      dimensions: [{ name: 'QueueName', value: queue.nodes.queue.name }],
    },
  },
})
