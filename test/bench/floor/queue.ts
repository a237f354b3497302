import { SendMessageCommand, type SendMessageCommandInput, SQSClient } from '@aws-sdk/client-sqs'
import { ask, inSequence } from './table.ts'

/** The floor of a function that needs table and queue. */

const endpoint = process.env.SQS_ENDPOINT
const queueClient = new SQSClient({
  region: process.env.AWS_REGION ?? '',
  ...(endpoint && { endpoint, useQueueUrlAsEndpoint: false }),
})

export const handler = inSequence((step) => {
  if (step.service === 'dynamodb') return ask(step)
  return queueClient.send(new SendMessageCommand(step.input as unknown as SendMessageCommandInput))
})
