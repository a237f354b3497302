/** The turn on Lambda's durable functions with their local runner: every model call and every tool call is a step. */
import { withDurableExecution } from '@aws/durable-execution-sdk-js'
import { LocalDurableTestRunner } from '@aws/durable-execution-sdk-js-testing'
import { handOver } from '../section.ts'
import { answer, measureTurns, question, record, rounds, roundsOfWaiting } from './assignment.ts'

let requests = 0
let bytes = 0

/** Does a turn; if the payload has `waits`, the last tool waits for an approval. */
const handler = withDurableExecution(async ({ waits }: { waits: boolean }, context) => {
  const count = waits ? roundsOfWaiting : rounds
  for (let round = 0; round < count; round++) {
    const call = await context.step(`model-${round}`, async () => ({ table: 'pages', uid: round + 2 }))
    if (waits && round === count - 1)
      await context.waitForCallback('approval', async () => undefined, { timeout: { days: 7 } })
    await context.step(`tool-${round}`, async () => record(call.uid))
  }
  return context.step('answer', async () => answer)
})

type Checkpoint = (params: unknown, logger: unknown) => Promise<unknown>

/** The handler for the runner; it counts the checkpoints. */
const counted: typeof handler = (event, context) => {
  const { durableExecutionClient: client } = event as unknown as {
    durableExecutionClient: { checkpoint: Checkpoint }
  }
  const checkpoint = client.checkpoint.bind(client)
  client.checkpoint = (params, logger) => {
    requests += 1
    bytes += Buffer.byteLength(JSON.stringify(params))
    return checkpoint(params, logger)
  }
  return handler(event, context)
}

async function turn(waits: boolean) {
  const before = { requests, bytes }
  const runner = new LocalDurableTestRunner({ handlerFunction: counted })
  const running = runner.run({ payload: { question, waits } })
  if (waits) {
    const approval = runner.getOperation('approval')
    await approval.waitForData('SUBMITTED' as never)
    await approval.sendCallbackSuccess('"approved"')
  }
  const execution = await running
  if (execution.getStatus() !== 'SUCCEEDED') throw new Error(`The turn ended as ${execution.getStatus()}`)
  return {
    writes: requests - before.requests,
    bytes: bytes - before.bytes,
    wireBytes: bytes - before.bytes,
    waitMs: 0,
    // The start of an execution is an operation as well.
    operations: execution.getOperations().length + 1,
  }
}

function cpuOfThread(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

await LocalDurableTestRunner.setupTestEnvironment({ skipTime: true })
const turns = await measureTurns(() => turn(false), cpuOfThread)
const waiting = await turn(true)
handOver(turns.map((one) => ({ ...one, waiting })))
