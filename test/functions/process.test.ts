import { ReceiveMessageCommand, SendMessageCommand } from '@aws-sdk/client-sqs'
import type { Context } from 'aws-lambda'
import { expect, test } from 'vitest'
import { config } from '../../core/base/config.ts'
import * as Queue from '../../core/conversation/queue.ts'
import { handler } from '../../functions/process.ts'
import { record } from '../../infra/local/queue.ts'
import { slowDown, under } from '../faults/inject.ts'
import { bench, benched, editor } from '../support/benched.ts'

benched()

const context = { getRemainingTimeInMillis: () => 900_000 } as Context

/** Gives the function the one message that waits; what it reports, and for how long it has hidden the message. */
async function handled(isTableDown: boolean) {
  const { Messages = [] } = await Queue.client().send(
    new ReceiveMessageCommand({ QueueUrl: config().queueUrl, MessageSystemAttributeNames: ['All'] }),
  )
  const hidden: unknown[] = []
  const { batchItemFailures } = await under(
    ({ service, command, input }) => {
      if (command === 'ChangeMessageVisibility') hidden.push(input.VisibilityTimeout)
      return isTableDown && service === 'dynamodb' ? { when: 'before', error: slowDown() } : undefined
    },
    () => handler({ Records: Messages.map(record) }, context),
  )
  return { failed: batchItemFailures.length, hidden }
}

test('what is no job is shown again at once, so that it is soon with the dead letters', async () => {
  const QueueUrl = config().queueUrl
  await Queue.client().send(
    new SendMessageCommand({ QueueUrl, MessageBody: '{"conversationId":"drop table"}' }),
  )

  expect(await handled(false)).toEqual({ failed: 1, hidden: [0] })
  const [again] = await Queue.receive(1, 0)
  expect(again).toEqual({ job: undefined, receipt: expect.any(String) })
  await Queue.remove(again?.receipt ?? '')
})

test('a turn that could not be handled is shown again after half a minute', async () => {
  const { conversation } = await editor.send('Hello')

  expect(await handled(true)).toEqual({ failed: 1, hidden: [30] })
  expect((await bench.row(conversation.id)).status).toBe('processing')
})
