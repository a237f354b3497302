import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Settings } from '../../../core/stage/settings/schema.ts'
import type { Deployment } from '../../../infra/deployment.ts'
import install from '../../../infra/platform.ts'
import { kept } from './kept.ts'
import { type Inputs, type Made, mocks } from './mocks.ts'
import { type App, fromPlatform, loadProgram, type Planted, readApp } from './program.ts'
import { type Build, type CommandLine, type Compile, packed, startCommandLine } from './rpc.ts'

/** What a deploy of a stage would ask AWS for: every resource with its inputs, made by SST's own components. */
export type Synth = {
  app: App
  outputs: Record<string, unknown>
  resources: Made[]
  builds: Build[]
  /** Inputs of all resources of a type, such as `aws:sqs/queue:Queue`. */
  all(type: string): Inputs[]
  /** Inputs of the one resource of a type whose logical name matches. Throws when there is none, or more. */
  one<T = Inputs>(type: string, name: string | RegExp): T
  /** The statements that a role allows. */
  statements(role: string | RegExp): Statement[]
}

export type Statement = { Effect: string; Action: string | string[]; Resource: string | string[] }

/** What Pulumi tells of a resource beside its inputs. */
type Request = { getType(): string; getName(): string; getDependenciesList(): string[] }
type Monitor = { registerResource(request: Request, answer: unknown): Promise<void> }

type Pulumi = {
  Output: { isInstance(value: unknown): boolean }
  runtime: {
    setMocks(mocks: unknown, project: string, stack: string, preview: boolean): Promise<void>
    getMonitor(): Monitor
    runInPulumiStack(program: () => Promise<void>): Promise<unknown>
  }
}

/** Values of all secrets that any stage may ask for. */
const secrets = {
  StageSecret: 'stage-secret-of-the-tests-0123456789',
  AnthropicSecret: 'anthropic-key',
  CmsSecret: 'cms-key',
  ExchangeSecret: 'exchange-key',
  CanarySecret: 'canary-password',
}

/**
 * Keys of the stage's two files that a test sets to something else, the region where that is not us-east-1, and where and
 * how functions are to be packed.
 */
export type Own = {
  region?: string
  deployment?: Partial<Deployment>
  settings?: Partial<Settings> | undefined
  pack?: Pack
}

type Pack = { folder: string; compile: Compile }

/** What a run of the program leaves behind; a `Synth` without its verbs. */
type Plan = Pick<Synth, 'app' | 'outputs' | 'resources' | 'builds'>

/**
 * Runs the program of a stage, with planted mistakes and keys of its own if any, against mocks of AWS. Seconds, no
 * account, no network; a plan that another test file has asked for is not made again. A permanent stage gets a
 * recipient for its alarms, without which it is refused.
 */
export async function synth(
  stage: string,
  mistakes: Planted = {},
  { region, deployment, settings, pack }: Own = {},
): Promise<Synth> {
  const planted = withOwn(mistakes, {
    deployment: { alarmEmail: 'ops@example.com', ...deployment },
    settings,
  })
  const { app, outputs, resources, builds } = await (pack
    ? plan(stage, planted, region, pack)
    : kept(`${stage} ${region}`, planted, () => plan(stage, planted, region)))
  return view(app, resources, builds, outputs)
}

async function plan(stage: string, planted: Planted, region?: string, pack?: Pack): Promise<Plan> {
  await install()
  const pulumi = fromPlatform('@pulumi/pulumi') as Pulumi
  // Of its own: the artifacts of two test files have the same names.
  const work = pack?.folder ?? (await mkdtemp(join(tmpdir(), 'ai-chat-work-')))
  const commandLine = await startCommandLine(work, pack?.compile)
  for (const [name, value] of Object.entries(secrets)) process.env[`SST_SECRET_${name}`] = value
  // The site's build is a command that the mocks do not run; what it makes has to be there.
  await mkdir('dist/web', { recursive: true })
  await writeFile('dist/web/index.html', '', { flag: 'a' })

  const app = await readApp(stage, region)
  const resources: Made[] = []
  const failures: unknown[] = []
  const fail = (reason: unknown) => void failures.push(reason)
  const cwd = process.cwd()
  const { stackTraceLimit } = Error
  // Pulumi reads a stack trace for each of thousands of promises. Vitest looks up each line of it in a source map.
  Error.stackTraceLimit = 1
  process.on('unhandledRejection', fail)
  try {
    await pulumi.runtime.setMocks(mocks(`${app.name}-${stage}`, resources), app.name, stage, false)
    const after = orders(pulumi.runtime.getMonitor())
    const program = await loadProgram(app, planted, work)
    let outputs: Record<string, unknown> = {}
    await pulumi.runtime.runInPulumiStack(async () => {
      outputs = await program()
    })
    await settled(resources, commandLine, failures)
    if (failures.length > 0) throw new AggregateError(failures, failures.map(String).join('\n'))
    for (const made of resources) made.after = after.get(`${made.type} ${made.name}`) ?? []
    const builds = await packed(commandLine.builds, work)
    return { app, resources, builds, outputs: await resolved(pulumi, outputs) }
  } finally {
    process.chdir(cwd)
    Error.stackTraceLimit = stackTraceLimit
    process.off('unhandledRejection', fail)
    commandLine.close()
    if (!pack) await rm(work, { recursive: true, force: true })
  }
}

/** Names of the resources that each one waits for, which mocks are not told. Filled while the program runs. */
function orders(monitor: Monitor): Map<string, string[]> {
  const after = new Map<string, string[]>()
  const register = monitor.registerResource.bind(monitor)
  monitor.registerResource = (request, answer) => {
    const names = request.getDependenciesList().map((urn) => urn.slice(urn.lastIndexOf('::') + 2))
    after.set(`${request.getType()} ${request.getName()}`, names)
    return register(request, answer)
  }
  return after
}

/** The same files with keys of the test in them: what is checked is what the stage gets. */
function withOwn(planted: Planted, { deployment, settings }: Pick<Own, 'deployment' | 'settings'>): Planted {
  const file = 'infra/deployment.ts'
  const parse = "JSON.parse(readFileSync(file, 'utf8'))"
  const merged = (own: object = {}) => `{ ...${parse}, ...${JSON.stringify(own)} }`
  return {
    ...planted,
    [file]: (text) =>
      (planted[file]?.(text) ?? text)
        .replace(`Deployment.safeParse(${parse})`, `Deployment.safeParse(${merged(deployment)})`)
        .replace(`merge(base, ${parse})`, `merge(base, ${merged(settings)})`),
  }
}

/**
 * Outputs settle on their own, one after the other, and there is no event for the last: until nothing moves, and every
 * function that was to be built is there. Those that are still being built when another one has failed are waited for as well:
 * they use the command line and the folder.
 */
async function settled(resources: Made[], commandLine: CommandLine, failures: unknown[]): Promise<void> {
  const isMoving = () => process.getActiveResourcesInfo().some((name) => /^(FSReq|Zlib)/.test(name))
  const isWhole = () => {
    const functions = resources.filter(({ type }) => type === 'aws:lambda/function:Function')
    return functions.length === commandLine.builds.length - commandLine.failed()
  }
  for (let calm = 0, last = -1; calm < 40 || !isWhole(); ) {
    // A failure that keeps other functions from being made would never let the plan be whole.
    if (calm >= 400 && failures.length > 0) return
    await sleep(25)
    const now = resources.length + commandLine.progress()
    calm = now === last && !isMoving() ? calm + 1 : 0
    last = now
  }
}

async function resolved(pulumi: Pulumi, outputs: Record<string, unknown>): Promise<Record<string, unknown>> {
  const settled = Object.entries(outputs).map(async ([name, value]) => [
    name,
    pulumi.Output.isInstance(value) ? await (value as { promise(): Promise<unknown> }).promise() : value,
  ])
  return Object.fromEntries(await Promise.all(settled))
}

/** The same plan with a mistake in it, which the change makes in copies of its resources and builds. */
export function spoiled(
  { app, resources, builds, outputs }: Synth,
  change: (plan: { resources: Made[]; builds: Build[] }) => void,
): Synth {
  const plan = structuredClone({ resources, builds })
  change(plan)
  return view(app, plan.resources, plan.builds, outputs)
}

function view(app: App, resources: Made[], builds: Build[], outputs: Record<string, unknown>): Synth {
  const of = (type: string) => resources.filter((resource) => resource.type === type)
  const one = <T = Inputs>(type: string, name: string | RegExp): T => {
    const found = of(type).filter((it) => (typeof name === 'string' ? it.name === name : name.test(it.name)))
    const names = of(type).map((resource) => resource.name)
    if (found.length !== 1 || !found[0])
      throw new Error(`${found.length} of ${type} are called ${name}; there are ${names}`)
    return found[0].inputs as T
  }
  return {
    app,
    outputs,
    resources,
    builds,
    all: (type) => of(type).map(({ inputs }) => inputs),
    one,
    statements: (role) =>
      one<{ inlinePolicies?: { policy: string }[] }>('aws:iam/role:Role', role).inlinePolicies?.flatMap(
        ({ policy }) => JSON.parse(policy).Statement as Statement[],
      ) ?? [],
  }
}
