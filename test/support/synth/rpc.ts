import { existsSync } from 'node:fs'
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { json } from 'node:stream/consumers'
import type { Bundling } from '../bundle.ts'

/** A function that the program wants built. */
export type Build = {
  functionID: string
  handler: string
  links: Record<string, Record<string, unknown>>
  properties: Bundling
  /** Key of the file that holds the links, in base64. */
  encryptionKey: string
  /** Names of what is packed for it, at the end of the program. */
  files: string[]
}

/** Puts what a function is made of into a folder. */
export type Compile = (build: Asked, folder: string) => Promise<void>

type Asked = Omit<Build, 'files'>

/** What the components ask of the command line: they find its address in `SST_SERVER`. */
export type CommandLine = { builds: Build[]; progress(): number; failed(): number; close(): void }

type Call = { method: string; params: [Asked] }

/**
 * Stands in for SST's command line: answers what it knows of the account, and packs functions in the folder `work`, an
 * empty file where it is not said how.
 */
export async function startCommandLine(work: string, compile: Compile = emptyHandler): Promise<CommandLine> {
  const builds: Build[] = []
  let steps = 0
  let failed = 0
  const server = createServer((request, response) => {
    steps++
    response.once('close', () => steps++)
    answer(request, builds, async (build) => {
      const result = await built(build, work, compile)
      if (result.errors.length > 0) failed++
      return result
    }).then(
      (result) => response.end(JSON.stringify(result)),
      (error: unknown) => response.end(JSON.stringify({ error: String(error) })),
    )
  })
  // The program keeps connections for later; one that is closed in the moment of the next question fails it.
  server.keepAliveTimeout = 0
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  process.env.SST_SERVER = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return {
    builds,
    /** Grows with every question and every answer. */
    progress: () => steps,
    /** Builds that were answered with errors: no function is made of them. */
    failed: () => failed,
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

async function answer(
  request: IncomingMessage,
  builds: Build[],
  build: (asked: Asked) => Promise<unknown>,
): Promise<unknown> {
  const { method, params } = (await json(request)) as Call
  if (method === 'Provider.Aws.Bootstrap') return { result: account }
  if (method === 'Runtime.Build') {
    builds.push({ ...params[0], files: [] })
    return { result: await build(params[0]) }
  }
  return { error: `unknown method ${method}` }
}

const account = {
  asset: 'sst-asset',
  assetEcrRegistryId: '123456789012',
  assetEcrUrl: '123456789012.dkr.ecr.us-east-1.amazonaws.com/sst-asset',
  state: 'sst-state',
}

async function built(build: Asked, work: string, compile: Compile) {
  const out = folderOf(work, build.functionID)
  await mkdir(out, { recursive: true })
  const source = `${build.handler.replace(/\.[^.]+$/, '')}.ts`
  const errors = existsSync(source) ? [] : [`There is no ${source}`]
  if (errors.length === 0) await compile(build, out)
  return { handler: 'bundle.handler', out, errors, sourcemaps: [] }
}

/** The builds with what is packed for each by now. */
export function packed(builds: Build[], work: string): Promise<Build[]> {
  return Promise.all(
    builds.map(async (build) => ({ ...build, files: await readdir(folderOf(work, build.functionID)) })),
  )
}

/** Enough to compare plans. */
async function emptyHandler(_: Asked, folder: string): Promise<void> {
  await writeFile(join(folder, 'bundle.mjs'), 'export const handler = () => {}')
}

/** Where a function is packed, below the folder of the work. */
export const folderOf = (work: string, functionID: string) => join(work, 'artifacts', `${functionID}-src`)
