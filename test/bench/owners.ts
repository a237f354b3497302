import { Session } from 'node:inspector/promises'

type Node = {
  id: number
  callFrame: { functionName: string; url: string }
  children?: number[] | undefined
}

/**
 * Returns the shares of the owners of this process's work while `act` runs, as one sentence with the largest share
 * first. A native function counts for its caller.
 */
export async function profileOwners(act: () => Promise<unknown>): Promise<string> {
  const session = new Session()
  session.connect()
  await session.post('Profiler.enable')
  await session.post('Profiler.setSamplingInterval', { interval: 200 })
  await session.post('Profiler.start')
  await act()
  const { profile } = await session.post('Profiler.stop')
  session.disconnect()
  const shares = [...timesOf(profile)].toSorted(([, one], [, other]) => other - one)
  const sum = shares.reduce((all, [, time]) => all + time, 0)
  return shares
    .map(([owner, time]) => `${owner} ${Math.round((100 * time) / sum)} %`)
    .filter((share) => !share.endsWith(' 0 %'))
    .join(', ')
}

/** Returns the time of each owner in microseconds; the time in which the process waits or is profiled has none. */
function timesOf(profile: {
  nodes: Node[]
  samples?: number[] | undefined
  timeDeltas?: number[] | undefined
}): Map<string, number> {
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]))
  const callers = new Map(profile.nodes.flatMap(({ id, children = [] }) => children.map((one) => [one, id])))
  const times = new Map<string, number>()
  for (const [at, id] of (profile.samples ?? []).entries()) {
    const owner = ownerOf(nodes, callers, id)
    if (owner) times.set(owner, (times.get(owner) ?? 0) + (profile.timeDeltas?.[at] ?? 0))
  }
  return times
}

function ownerOf(nodes: Map<number, Node>, callers: Map<number, number>, id: number): string | undefined {
  const { functionName } = nodes.get(id)?.callFrame ?? {}
  if (functionName === '(idle)' || functionName === '(program)') return undefined
  if (functionName === '(garbage collector)') return 'collector'
  for (let at: number | undefined = id; at !== undefined; at = callers.get(at)) {
    const { url } = nodes.get(at)?.callFrame ?? { url: '' }
    if (url) return url === 'node:inspector' ? undefined : nameOf(url)
  }
  return 'Node'
}

function nameOf(url: string): string {
  const [, name] = /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(url) ?? []
  if (name) return /^@(?:aws-sdk|smithy)\//.test(name) ? 'SDK of AWS' : name
  const [, room] = /\/(core\/[^/]+|functions|test|scripts|infra)\//.exec(url) ?? []
  return url.startsWith('node:') ? 'Node' : (room ?? 'Node')
}
