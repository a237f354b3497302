import { createHash } from 'node:crypto'
import type { Made } from './mocks.ts'
import type { Synth } from './synth.ts'

/** The plan of a stage as lines that a person reads when they change: one value of one resource each. */

/** Every value that a deploy would send to AWS, as `type name path: value`, sorted; random and built parts are masked. */
export function linesOf({ app, resources }: Synth): string[] {
  const made = resources.filter(({ type, name }) => isPlanned(type) && !ofRoute.test(name))
  const lines = made.flatMap(({ type, name, inputs }) =>
    leavesOf(inputs).map(([path, value]) =>
      masked(`${shortType(type)} ${name} ${path}: ${shortened(value)}`, app.stage),
    ),
  )
  const { removal, protect } = app
  return [
    ...new Set([
      `app: ${removal}${protect ? ', protected' : ''}`,
      ...lines,
      ...routes(resources, app.stage),
      ...pages(resources),
      ...order(resources),
    ]),
  ].toSorted()
}

/** Lines that stand in one plan alone: `-` in the first, `+` in the second. */
export function changes(before: string[], after: string[]): string[] {
  const [old, current] = [new Set(before), new Set(after)]
  return [
    ...before.filter((line) => !current.has(line)).map((line) => `- ${line}`),
    ...after.filter((line) => !old.has(line)).map((line) => `+ ${line}`),
  ]
}

/** SST's own components stand for resources that are listed themselves; its objects are built code. */
const isPlanned = (type: string) => type.startsWith('aws:') && type !== 'aws:s3/bucketObjectv2:BucketObjectv2'

/** The three resources that SST makes for each route; one line says the same. */
const ofRoute = /^ApiRoute/

function routes(resources: Made[], stage: string): string[] {
  const integrations = new Map(resources.map(({ name, inputs }) => [name, inputs.integrationUri]))
  return resources
    .filter(({ type }) => type === 'aws:apigatewayv2/route:Route')
    .map(({ name, inputs }) => {
      const target = integrations.get(name.replace(/Route$/, 'Integration'))
      return masked(`route ${inputs.routeKey}: ${target}, ${inputs.authorizationType}`, stage)
    })
}

const shortType = (type: string) => type.replace(/^aws:(\w+)\/.*:/, '$1.')

/** Values by their paths. A text that is JSON, such as a policy, is read. */
function leavesOf(value: unknown, path = ''): [path: string, value: string][] {
  if (typeof value === 'string' && /^[[{]/.test(value)) {
    try {
      return leavesOf(JSON.parse(value), path)
    } catch {
      return [[path, value]]
    }
  }
  if (typeof value !== 'object' || value === null) return value === undefined ? [] : [[path, String(value)]]
  const entries = Object.entries(value).filter(([name]) => name !== 'tags')
  if (entries.length === 0) return [[path, Array.isArray(value) ? '[]' : '{}']]
  return entries.flatMap(([name, inner]) => leavesOf(inner, path ? `${path}.${name}` : name))
}

/** Longer texts are code, which has tests of its own. */
const codeLength = 600

const shortened = (value: string) =>
  value.length > codeLength ? `text ${createHash('sha256').update(value).digest('hex').slice(0, 12)}` : value

/** Masks what differs from stage to stage and from run to run, so that only decisions are left. */
function masked(line: string, stage: string): string {
  return line
    .replace(new RegExp(`\\b${stage}\\b`, 'g'), 'STAGE')
    .replace(/(ai-chat-STAGE-\w+)-[a-z]{8}\b/, '$1-RANDOM')
    .replace(/(-code-)[0-9a-f]{64}/, '$1HASH')
    .replace(/(processsubscriber)[a-z]{6}(?=function|role|log|event)/gi, '$1')
    .replace(/\n/g, ' ')
    .trimEnd()
}

/** How browsers keep each kind of file of the site, and whether a deploy removes the files of earlier releases. */
function pages(resources: Made[]): string[] {
  return resources
    .filter(({ name }) => name.endsWith('.BucketFiles'))
    .flatMap(({ inputs }) =>
      (inputs.files as { key: string; cacheControl: string }[]).map(({ key, cacheControl }) => {
        const kind = key.includes('/assets/') ? 'assets/*' : '*'
        return `page ${kind}: ${cacheControl}, ${inputs.purge ? 'purged' : 'left'}`
      }),
    )
}

/** The functions that have to be there before the settings that they read are stored. */
function order(resources: Made[]): string[] {
  const { after = [] } = resources.find(({ type }) => type === 'aws:lambda/invocation:Invocation') ?? {}
  return after
    .filter((name) => name.endsWith('Function') && name !== 'ApplyFunction')
    .map((name) => `order: settings after ${name}`)
}
