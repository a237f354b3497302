import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { DeleteItemCommand, type DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb'
import { limitTime } from '../../core/base/clock.ts'
import { StageError } from './damage.ts'
import { freePort } from './free-port.ts'

/**
 * A DynamoDB on loopback. `process` is undefined if this process did not start the emulator. If the process ends before
 * `stop`, it has crashed.
 */
export type Dynamo = { endpoint: string; process: ChildProcess | undefined; stop(): Promise<void> }

/**
 * Starts the DynamoDB emulator as a child process. It stores its data in an SQLite file if `file` is given, otherwise
 * in memory. If `DYNAMODB_ENDPOINT` is set, starts nothing and uses that endpoint, for platforms without the binary.
 */
export async function startDynamo(
  file?: string,
  choosePort = () => freePort('127.0.0.1'),
  startMs = longestStartMs,
): Promise<Dynamo> {
  const given = process.env.DYNAMODB_ENDPOINT
  if (given) return { endpoint: given, process: undefined, stop: async () => {} }
  for (let attempt = 1; ; attempt++) {
    const port = String(await choosePort())
    const child = spawnBound(['--host', '127.0.0.1', '--port', port, ...(file ? ['--db-path', file] : [])])
    try {
      await listening(child, startMs)
      return { endpoint: `http://127.0.0.1:${port}`, process: child, stop: () => end(child) }
    } catch (error) {
      child.kill('SIGKILL')
      if (attempt === mostPorts || !/in use/.test(String(error))) throw error
    }
  }
}

/** The maximum number of attempts to start the emulator: another process may take the chosen port before the start. */
const mostPorts = 5

async function end(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGTERM')
  await ended
}

/**
 * The emulator does not notice that this process has ended: it would run on and keep its database file locked. A shell
 * waits for the end of a pipe that only this process has open, and then ends the emulator. Even SIGKILL closes the
 * pipe.
 */
const bound =
  'exec 3<&0; "$0" "$@" & child=$!; trap "kill $child" TERM; (cat <&3 >/dev/null; kill -9 $child 2>/dev/null) & wait $child'

function spawnBound(args: string[]): ChildProcess {
  // The pipe gets no data. The child has its own process group, so that Ctrl-C reaches only this process.
  return spawn('/bin/sh', ['-c', bound, binary(), ...args], {
    stdio: ['pipe', 'ignore', 'pipe'],
    detached: true,
  })
}

const longestStartMs = 10_000

/** Resolves when the emulator listens on its port. Rejects with the last line of its output if it ends instead. */
function listening(child: ChildProcess, startMs: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>()
  let output = ''
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    output = `${output}${text}`.slice(-2_000)
    if (output.includes('listening')) resolve()
  })
  child.once('error', reject)
  // Ends the shell that waits for the pipe. This shell keeps the output open, so without this there would be no
  // 'close'.
  child.once('exit', () => child.stdin?.destroy())
  child.once('close', (code) => {
    const reason = output.trim().split('\n').at(-1)
    reject(new Error(`the DynamoDB emulator ended with code ${code}: ${reason}`))
  })
  const late = new Error('The DynamoDB emulator does not answer')
  const timer = limitTime(startMs, () => reject(late))
  return promise.finally(() => clearTimeout(timer))
}

function binary(): string {
  const name = `@dynoxide/${process.platform}-${process.arch}`
  try {
    return join(dirname(createRequire(import.meta.url).resolve(`${name}/package.json`)), 'dynoxide')
  } catch (cause) {
    throw new StageError(
      `There is no DynamoDB emulator for this platform (${name}). Start one yourself, such as DynamoDB Local (docker run -p 8000:8000 amazon/dynamodb-local), and set DYNAMODB_ENDPOINT to its address, such as http://127.0.0.1:8000.`,
      { cause },
    )
  }
}

/**
 * Removes expired items. DynamoDB removes them within days; the emulator never does. This only keeps the folder small,
 * because every read checks the expiry. An item whose expiry was extended meanwhile stays.
 */
export async function removeExpired(client: DynamoDBClient, table: string, now: number): Promise<void> {
  const condition = {
    TableName: table,
    ExpressionAttributeValues: { ':now': { N: String(Math.floor(now / 1000)) } },
  }
  const expired = paginateScan(
    { client },
    { ...condition, FilterExpression: 'expires_at < :now', ProjectionExpression: 'pk, sk' },
  )
  for await (const { Items = [] } of expired)
    for (const Key of Items) {
      const removal = new DeleteItemCommand({ ...condition, Key, ConditionExpression: 'expires_at < :now' })
      await client.send(removal).catch(passIfExtended)
    }
}

function passIfExtended(error: Error): void {
  if (error.name !== 'ConditionalCheckFailedException') throw error
}
