import { existsSync } from 'node:fs'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'

/** A function that the program wants built. */
export type Build = {
  functionID: string
  handler: string
  links: Record<string, unknown>
  properties: unknown
  /** Names of what is packed for it, at the end of the program. */
  files: string[]
}

/** What the components ask of the command line: they find its address in `SST_SERVER`. */
export type CommandLine = { builds: Build[]; progress(): number; close(): void }

type Call = { method: string; params: [Omit<Build, 'files'>] }

/**
 * Stands in for SST's command line: answers what it knows of the account, and builds nothing but an empty file in the
 * folder `work`.
 */
export async function startCommandLine(work: string): Promise<CommandLine> {
  const builds: Build[] = []
  let steps = 0
  const server = createServer((request, response) => {
    steps++
    response.once('close', () => steps++)
    answer(request, builds, work).then(
      (result) => response.end(JSON.stringify(result)),
      (error: unknown) => response.end(JSON.stringify({ error: String(error) })),
    )
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  process.env.SST_SERVER = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    builds,
    /** Grows with every question and every answer. */
    progress: () => steps,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

async function answer(request: IncomingMessage, builds: Build[], work: string): Promise<unknown> {
  const { method, params } = (await json(request)) as Call
  if (method === 'Provider.Aws.Bootstrap') return { result: account }
  if (method === 'Runtime.Build') {
    builds.push({ ...params[0], files: [] })
    return { result: await built(params[0], work) }
  }
  return { error: `unknown method ${method}` }
}

const account = {
  asset: 'sst-asset',
  assetEcrRegistryId: '123456789012',
  assetEcrUrl: '123456789012.dkr.ecr.us-east-1.amazonaws.com/sst-asset',
  state: 'sst-state',
}

async function built({ functionID, handler }: Pick<Build, 'functionID' | 'handler'>, work: string) {
  const out = folderOf(work, functionID)
  await mkdir(out, { recursive: true })
  await writeFile(`${out}/bundle.mjs`, 'export const handler = () => {}')
  const source = `${handler.replace(/\.[^.]+$/, '')}.ts`
  const errors = existsSync(source) ? [] : [`There is no ${source}`]
  return { handler: 'bundle.handler', out, errors, sourcemaps: [] }
}

/** The builds with what is packed for each by now. */
export function packed(builds: Build[], work: string): Promise<Build[]> {
  return Promise.all(
    builds.map(async (build) => ({ ...build, files: await readdir(folderOf(work, build.functionID)) })),
  )
}

const folderOf = (work: string, functionID: string) => join(work, 'artifacts', `${functionID}-src`)
