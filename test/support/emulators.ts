import { startDynamo } from '../../infra/local/dynamo.ts'
import { startQueueAndStore } from '../../infra/local/fauxqs.ts'

/** Starts the emulators once for all test files, in memory; each file has tables, a queue and a bucket of its own. */
export default async function setup(): Promise<() => Promise<void>> {
  const dynamo = await startDynamo()
  const store = await startQueueAndStore()
  process.env.DYNAMODB_ENDPOINT = dynamo.endpoint
  process.env.SQS_ENDPOINT = store.endpoint
  process.env.S3_ENDPOINT = store.endpoint
  return async () => {
    await dynamo.stop()
    await store.stop()
  }
}
