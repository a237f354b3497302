/** Runs the emulators in a separate process, so that their cost does not count for the product. */
import { startDynamo } from '../../infra/local/dynamo.ts'
import { startQueueAndStore } from '../../infra/local/fauxqs.ts'

const dynamo = await startDynamo()
const store = await startQueueAndStore()
process.once('disconnect', async () => {
  await dynamo.stop()
  process.exit(0)
})
process.send?.({ dynamodb: dynamo.endpoint, queueAndStore: store.endpoint })
