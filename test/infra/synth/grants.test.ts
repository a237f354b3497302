import '../../support/setup.ts'
import { createHash } from 'node:crypto'
import { CreateBucketCommand, PutObjectCommand } from '@aws-sdk/client-s3'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { client } from '../../../core/file/store.ts'
import { retire } from '../../../core/watch/retire/page-parts.ts'
import { handler as applySettings } from '../../../functions/apply.ts'
import { type Service, startService } from '../../security/service.ts'
import { startBench } from '../../support/live.ts'
import { settings } from '../../support/settings.ts'
import { refused, unused } from '../../support/synth/grants.ts'
import { asFunction, type Requested, recordRequests } from '../../support/synth/requests.ts'
import { type Synth, spoiled, synth } from '../../support/synth/synth.ts'
import { use, used } from '../../support/synth/use.ts'

/** What the functions ask of AWS in use, held against what their roles allow: no less, and no more. */

let stage: Synth
let service: Service
let requests: Requested[]

beforeAll(async () => {
  stage = await synth('production')
  service = await startService(await startBench(used))
  requests = recordRequests()
  await use(service, requests)
  await asFunction('apply', () => applySettings(settings()))
  await retireParts()
})

/** A part that left the release is noted and, a month later, removed. */
async function retireParts(): Promise<void> {
  const Bucket = 'pages-of-the-use'
  await client().send(new CreateBucketCommand({ Bucket }))
  const pages = { 'chat.js': createHash('sha256').update('chat').digest('hex') }
  const release = JSON.stringify({ parts: ['assets/b.js'], pages })
  for (const [name, Body] of [
    ['release.json', release],
    ['chat.js', 'chat'],
    ['assets/a.js', 'a'],
  ] as const)
    await client().send(new PutObjectCommand({ Bucket, Key: `backend/${name}`, Body }))
  for (const days of [1, 40]) await asFunction('retire', () => retire(Bucket, Date.now() + days * 86_400_000))
}
afterAll(() => service.bench.stop())

test('no request of a function is refused', () => {
  expect(refused(stage, requests)).toEqual([])
})

/** Grants that no request of the use needs, with the reason why a role has them. */
const reasons = {
  'upload: s3:ListBucket filesbucket': 'S3 answers 403 instead of 404 without it',
  'process: sqs:ChangeMessageVisibility processqueue': 'Lambda polls the queue with the role',
  'process: sqs:DeleteMessage processqueue': 'Lambda polls the queue with the role',
  'process: sqs:GetQueueUrl processqueue': 'Lambda polls the queue with the role',
  'process: sqs:ReceiveMessage processqueue': 'Lambda polls the queue with the role',
}

test('a role allows nothing that its function does not use', () => {
  expect(unused(stage, requests)).toEqual(Object.keys(reasons))
})

test('the check sees what is missing, and what the audit must be kept from', () => {
  const without = (action: string) =>
    spoiled(stage, ({ resources }) => {
      for (const { inputs } of resources)
        for (const policy of (inputs.inlinePolicies ?? []) as { policy: string }[])
          policy.policy = policy.policy.replaceAll(`"${action}"`, '"none:None"')
    })
  const change = { by: 'send', action: 'dynamodb:UpdateItem', resource: 'chattable', keys: ['audit#2026-11'] }

  expect(refused(without('dynamodb:ConditionCheckItem'), requests)).toContain(
    'send: dynamodb:ConditionCheckItem chattable',
  )
  expect(refused(without('sqs:SendMessage'), requests)).toContain('cleanup: sqs:SendMessage processqueue')
  expect(refused(stage, [change])).toEqual(['send: dynamodb:UpdateItem chattable'])
  expect(refused(stage, [{ ...change, keys: [...change.keys, 'conversation#1'] }])).toEqual([])
})
