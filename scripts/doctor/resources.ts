import { CloudWatchClient, paginateDescribeAlarms } from '@aws-sdk/client-cloudwatch'
import { CostExplorerClient, ListCostAllocationTagsCommand } from '@aws-sdk/client-cost-explorer'
import {
  GetAccountSettingsCommand,
  GetFunctionConcurrencyCommand,
  LambdaClient,
  paginateListEventSourceMappings,
} from '@aws-sdk/client-lambda'
import { paginateListSchedules, SchedulerClient } from '@aws-sdk/client-scheduler'
import { config } from '../../core/base/config.ts'
import { type Check, Untried } from '../../core/watch/canary/proof.ts'
import { askTopics } from './account.ts'

/** Checks of deployed resources, with the rights of the operator: somebody may have switched a resource off by hand. */
export const resourceChecks: Check[] = [
  deployed('consumer', ({ region, stage }) => consumer(new LambdaClient({ region }), stage)),
  deployed('schedules', ({ region, stage }) => schedules(new SchedulerClient({ region }), stage)),
  deployed('ringing alarms', ({ alarms }) => askTopics(alarms, ringing)),
  // Cost Explorer has one endpoint for all regions.
  deployed('costs by stage', () => costsByStage(new CostExplorerClient({ region: 'us-east-1' }))),
]

/** Returns a check of a resource that only a deployed stage has. */
function deployed(name: string, ask: (stage: ReturnType<typeof config>) => Promise<string>): Check {
  return {
    name,
    prove: async () => {
      if (config().isLocal) throw new Untried('a local stage has none')
      return ask(config())
    },
  }
}

/** Returns the name of a function of a stage, as `infra/function.ts` builds it. */
const functionName = (stage: string, own: string) => `ai-chat-${stage}-${own}`

/** The executions that Lambda reserves for the account's functions without reserved concurrency. */
const otherExecutions = 10

/**
 * Returns the number of turns that can run at once. Throws if the queue starts no function, or the account has fewer
 * executions than the stage may have turns.
 */
export async function consumer(client: LambdaClient, stage: string): Promise<string> {
  const FunctionName = functionName(stage, 'process')
  const pages = paginateListEventSourceMappings({ client }, { FunctionName })
  const mappings = await Array.fromAsync(pages, ({ EventSourceMappings = [] }) => EventSourceMappings).catch(
    (error: Error) => {
      if (error.name === 'ResourceNotFoundException') return []
      throw error
    },
  )
  const [mapping] = mappings.flat()
  if (!mapping) throw new Untried('tasks of the worker take the turns')
  if (mapping.State !== 'Enabled')
    throw new Error(`The queue starts no function: its mapping is ${mapping.State}`)
  const { ReservedConcurrentExecutions: reserved } = await client.send(
    new GetFunctionConcurrencyCommand({ FunctionName }),
  )
  const turns = mapping.ScalingConfig?.MaximumConcurrency ?? 0
  if (reserved !== undefined && reserved < turns)
    throw new Error(`${reserved} executions are reserved for ${turns} turns`)
  const { AccountLimit } = await client.send(new GetAccountSettingsCommand())
  const executions = AccountLimit?.ConcurrentExecutions ?? 0
  if (executions < turns + otherExecutions)
    throw new Error(`The account has ${executions} executions at once, and the stage may have ${turns} turns`)
  return `${turns} turns at once, of ${executions} executions of the account`
}

/** Returns the functions that a schedule starts. Throws if cleanup has no schedule, or a schedule is disabled. */
export async function schedules(client: SchedulerClient, stage: string): Promise<string> {
  const pages = paginateListSchedules({ client }, {})
  const all = (await Array.fromAsync(pages, ({ Schedules = [] }) => Schedules)).flat()
  const own = ['cleanup', 'retire', 'canary'].flatMap((name) => {
    const found = all.filter(({ Target }) => Target?.Arn?.endsWith(`:${functionName(stage, name)}`))
    return found.map(({ State }) => ({ name, state: State }))
  })
  const off = own.filter(({ state }) => state !== 'ENABLED').map(({ name }) => name)
  if (off.length > 0) throw new Error(`Switched off: ${off.join(', ')}`)
  if (!own.some(({ name }) => name === 'cleanup')) throw new Error('Cleanup has no schedule')
  return [...new Set(own.map(({ name }) => name))].join(', ')
}

/** Returns the active alarms of a topic. An active alarm is no failed check, because this deploy may end its cause. */
export async function ringing(topic: string, options: { region: string }): Promise<string> {
  const pages = paginateDescribeAlarms({ client: new CloudWatchClient(options) }, { StateValue: 'ALARM' })
  const alarms = (await Array.fromAsync(pages, ({ MetricAlarms = [] }) => MetricAlarms)).flat()
  const own = alarms.filter(({ AlarmActions = [] }) => AlarmActions.includes(topic))
  if (own.length === 0) return `none in ${options.region}`
  return own.map(({ AlarmName, AlarmDescription }) => `${AlarmName}: ${AlarmDescription}`).join(' ')
}

/** The tag by which a stage's budget counts its costs. */
const costTag = 'sst:stage'

/** Returns a sentence if bills show the costs of each stage. Only the paying account may ask for this. */
export async function costsByStage(client: CostExplorerClient): Promise<string> {
  const { CostAllocationTags: [tag] = [] } = await client
    .send(new ListCostAllocationTagsCommand({ TagKeys: [costTag] }))
    .catch((error: Error) => {
      if (error.name !== 'AccessDeniedException') throw error
      throw new Untried('only the account that pays may ask')
    })
  if (tag?.Status === 'Active') return `by the tag ${costTag}`
  throw new Untried(`the tag ${costTag} is not active: the budget of the stage counts nothing`)
}
