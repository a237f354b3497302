/** The emulators in a process of their own, so that their cost is not counted as the product's. */
import { startDynamo } from '../../infra/local/dynamo.ts'
import { startQueueAndStore } from '../../infra/local/fauxqs.ts'

const dynamo = await startDynamo()
const store = await startQueueAndStore()
process.once('disconnect', async () => {
  await dynamo.stop()
  process.exit(0)
})
process.send?.({ dynamodb: dynamo.endpoint, queueAndStore: store.endpoint })
