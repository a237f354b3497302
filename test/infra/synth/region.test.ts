import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import type { Inputs } from '../../support/synth/mocks.ts'
import { readApp } from '../../support/synth/program.ts'
import { faults } from '../../support/synth/rules.ts'
import { type Synth, synth } from '../../support/synth/synth.ts'

/** A stage outside us-east-1, where CloudFront reports, with a key of the account in its own region. */
let european: Synth
const kmsKeyArn = 'arn:aws:kms:eu-central-1:123456789012:key/0b1c2d3e-4f50-6172-8394-a5b6c7d8e9f0'
// The mocks know one region.
const regional = 'arn:aws:sns:us-east-1:123456789012:ai-chat-production-alarms'
const edge = 'arn:aws:sns:us-east-1:123456789012:ai-chat-production-edgealarms'

beforeAll(async () => {
  european = await synth('production', {}, { region: 'eu-central-1', deployment: { kmsKeyArn } })
})

test('it tells alarms of the edge through a topic of us-east-1, which confirms an address of its own', () => {
  const { one } = european

  expect(one<Inputs>('pulumi:providers:aws', 'Edge').region).toBe('us-east-1')
  expect(one<Inputs>('aws:cloudwatch/metricAlarm:MetricAlarm', 'EdgeErrors').alarmActions).toEqual([edge])
  expect(one('aws:sns/topicSubscription:TopicSubscription', 'EdgeAlarmsEmail')).toMatchObject({
    topic: edge,
    endpoint: 'ops@example.com',
  })
})

test('its functions and the doctor know both topics, and those of a stage in us-east-1 the one that there is', async () => {
  const topicsOf = ({ builds }: Synth) => (builds[0]?.links.Stage as Inputs | undefined)?.AI_CHAT_ALARMS

  expect(topicsOf(european)).toBe(`${regional} ${edge}`)
  expect(topicsOf(await synth('production'))).toBe(regional)
})

test('its key encrypts the topic of its region, and not the one of the edge, which cannot use it', () => {
  const keyOf = (topic: string) => european.one<Inputs>('aws:sns/topic:Topic', topic).kmsMasterKeyId

  expect(faults(european)).toEqual([])
  expect([keyOf('Alarms'), keyOf('EdgeAlarms')]).toEqual([kmsKeyArn, undefined])
})

test('a stage has the region and the tags of its own file, or of dev without one, whatever the shell names', async () => {
  const home = process.cwd()
  const folder = await mkdtemp(join(tmpdir(), 'region-'))
  const file = (stage: string) => join(folder, `infra/deployments/${stage}.json`)
  await mkdir(join(folder, 'infra/deployments'), { recursive: true })
  await writeFile(file('dev'), JSON.stringify({ permanent: false, tags: { CostCenter: '42' } }))
  await writeFile(file('production'), JSON.stringify({ permanent: true, region: 'eu-central-1' }))
  process.chdir(folder)
  try {
    const stages = [await readApp('pr-12', 'us-west-2'), await readApp('production', 'us-west-2')]

    expect(stages.map(({ protect, providers }) => [protect, providers.aws])).toEqual([
      [
        false,
        { version: expect.any(String), region: 'us-west-2', defaultTags: { tags: { CostCenter: '42' } } },
      ],
      [true, { version: expect.any(String), region: 'eu-central-1', defaultTags: { tags: {} } }],
    ])
  } finally {
    process.chdir(home)
    await rm(folder, { recursive: true })
  }
})
