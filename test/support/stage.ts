import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A local stage that runs as `npm start` runs it, in a process of its own on a free port. */
export type Stage = {
  /** `http://127.0.0.1:<port>` */
  origin: string
  /** Its data; a next start on the same folder goes on where this one ended. */
  folder: string
  process: ChildProcess
  /** What it has printed so far. */
  output(): string
  /** Environment in which the commands of another terminal find this stage. */
  env: NodeJS.ProcessEnv
  /** Ctrl-C; answers the exit code. */
  stop(): Promise<number | null>
  /** SIGKILL; leaves everything as it is. */
  kill(): Promise<void>
  /** Stops it and removes its data. */
  remove(): Promise<void>
}

export type StageOptions = {
  /** Variables of `npm start`: AI_CHAT_PROCESSING, ANTHROPIC_API_KEY, ANTHROPIC_BASE_URL … */
  env?: Record<string, string>
  /** Settings over those of the stage. */
  settings?: Record<string, unknown>
  /** Data of an earlier stage; without it a new folder is made. */
  folder?: string
  /** Arguments of `npm start`. */
  args?: string[]
}

/** How a command ended. */
export type Ended = { code: number | null; stdout: string; stderr: string }

const root = fileURLToPath(new URL('../..', import.meta.url))
const start = fileURLToPath(new URL('../../scripts/start.ts', import.meta.url))

/** Only what a process needs to run, and to start fast: nothing else of the environment of the tests reaches a stage. */
const bare = () => ({
  PATH: process.env.PATH ?? '',
  HOME: process.env.HOME ?? '',
  NO_COLOR: '1',
  ...(process.env.NODE_COMPILE_CACHE && { NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE }),
})

/** Starts a stage and answers when it is ready. Throws with all that it printed when it ends before. */
export async function startStage(options: StageOptions = {}): Promise<Stage> {
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), 'ai-chat-')))
  const { child, output, exited } = await spawnStage(folder, options)
  const origin = await ready(output, exited).catch(async (error: unknown) => {
    if (!options.folder) await rm(folder, { recursive: true, force: true })
    throw error
  })
  const stop = async () => {
    child.kill('SIGINT')
    return (await exited).code
  }
  return {
    origin,
    folder,
    process: child,
    output,
    env: { ...bare(), ...options.env, AI_CHAT_DATA: folder },
    stop,
    kill: async () => {
      child.kill('SIGKILL')
      await exited
    },
    remove: async () => {
      await stop()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** A start that is expected to fail: how it ended. */
export async function failedStart(options: StageOptions & { folder: string }): Promise<Ended> {
  const { exited } = await spawnStage(options.folder, options)
  return exited
}

/** Runs a command of `scripts/` beside the stage and answers how it ended. */
export async function command(stage: Pick<Stage, 'env'>, name: string, ...args: string[]): Promise<Ended> {
  const launched = ['--no-warnings', join(root, 'scripts/launch.ts'), name, ...args]
  return watch(spawn(process.execPath, launched, { cwd: root, env: stage.env })).exited
}

async function spawnStage(folder: string, options: StageOptions) {
  const overlay = join(folder, 'overlay.json')
  if (options.settings) await writeFile(overlay, JSON.stringify(options.settings))
  const env = {
    ...bare(),
    PORT: '0',
    AI_CHAT_DATA: folder,
    ...(existsSync(overlay) && { AI_CHAT_SETTINGS: overlay }),
    ...options.env,
  }
  return watch(
    spawn(process.execPath, ['--no-warnings', start, '--no-build', ...(options.args ?? [])], {
      cwd: root,
      env,
    }),
  )
}

/** A process with its output gathered, and its end. */
export function watch(child: ChildProcess) {
  let stdout = ''
  let stderr = ''
  child.stdout?.on('data', (data) => {
    stdout += data
  })
  child.stderr?.on('data', (data) => {
    stderr += data
  })
  const exited = new Promise<Ended>((done) => {
    child.once('close', (code) => done({ code, stdout, stderr }))
  })
  return { child, output: () => stdout + stderr, exited }
}

/** The origin of a stage that starts, when it is ready. Throws with all that it printed when it ends before. */
export async function ready(output: () => string, exited: Promise<Ended>): Promise<string> {
  let ended: Ended | undefined
  const watching = exited.then((end) => {
    ended = end
  })
  for (;;) {
    const origin = /^ready (http:\S+)\/backend$/m.exec(output())?.[1]
    if (origin) return origin
    if (ended) throw new Error(`The stage ended with code ${ended.code}:\n${output()}`)
    await Promise.race([watching, new Promise((done) => setTimeout(done, 20))])
  }
}
