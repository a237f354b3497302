import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import * as Run from '../../../core/agent/run.ts'
import * as RunItem from '../../../core/agent/run-item.ts'
import type { Fields, Item } from '../../../core/aws/item.ts'
import * as Table from '../../../core/aws/table.ts'
import * as Idempotency from '../../../core/chat/idempotency.ts'
import * as Conversation from '../../../core/conversation/item.ts'
import * as Quota from '../../../core/conversation/quota.ts'
import * as File from '../../../core/file/item.ts'
import * as Session from '../../../core/session/session.ts'
import * as Settings from '../../../core/settings/item.ts'
import * as Activity from '../../../core/transcript/activity.ts'
import * as Changes from '../../../core/transcript/changes.ts'
import * as Dropped from '../../../core/transcript/dropped.ts'
import * as Instructions from '../../../core/transcript/instructions.ts'
import * as Message from '../../../core/transcript/item.ts'
import * as Pending from '../../../core/transcript/pending.ts'
import * as Usage from '../../../core/usage/item.ts'
import { type Bench, startBench } from '../../support/live.ts'
import { scan } from '../../support/scan.ts'
import { files } from '../../support/source.ts'

/** Each attribute of each stored noun damaged in every way, and items of a later release. */

type Codec = Pick<Item<Fields>, 'noun' | 'fields' | 'read' | 'schema'>

/** Each noun with its rows in the scene. */
const nouns: { codec: Codec; sk: RegExp }[] = [
  { codec: Conversation.codec, sk: /^conversation$/ },
  { codec: Message.codec, sk: /^message#/ },
  { codec: Pending.codec, sk: /^pending$/ },
  { codec: Pending.callCodec, sk: /^pending#/ },
  { codec: Activity.codec, sk: /^steps$/ },
  { codec: Instructions.codec, sk: /^prompt$/ },
  { codec: Changes.codec, sk: /^written#/ },
  { codec: Dropped.codec, sk: /^turn#/ },
  { codec: File.codec, sk: /^file#/ },
  { codec: RunItem.runCodec, sk: /^run$/ },
  { codec: RunItem.usageCodec, sk: /^run$/ },
  { codec: RunItem.stepCodec, sk: /^step#/ },
  { codec: RunItem.intentCodec, sk: /^intent#/ },
  { codec: Session.codec, sk: /^session$/ },
  { codec: Usage.codec, sk: /^usage#/ },
  { codec: Quota.codec, sk: /^quota$/ },
  { codec: Idempotency.codec, sk: /^idempotency#/ },
]
const all = [...nouns, { codec: Settings.codec as Codec, sk: /^settings$/ }]

const wrong = { damaged: true }
const damages: [how: string, of: (row: Table.Row, attribute: string) => Table.Row][] = [
  ['missing', (row, name) => Object.fromEntries(Object.entries(row).filter(([key]) => key !== name))],
  ['null', (row, name) => ({ ...row, [name]: null })],
  ['of another type', (row, name) => ({ ...row, [name]: name === 'damaged' ? 'x' : wrong })],
]

let bench: Bench
let scene: (Table.Row & Table.Key)[]
let damaged: string
let healthy: string

beforeAll(async () => {
  bench = await startBench({ dailyTokensPerUser: 1_000_000, retainRunDays: null })
  const other = await bench.login('editor')
  const form = new FormData()
  form.set('file', new Blob(['Text'], { type: 'text/plain' }), 'own.txt')
  const { fileUid } = (await other.ask<{ fileUid: number }>('/ai-chat/file-upload', { form })).body
  bench.api.reply({ text: 'Hello.' })
  healthy = (await other.turn('One')).conversation.id
  bench.api.reply({
    calls: [{ name: 'update_record', arguments: { table: 'pages', uid: 3, fields: { title: 'New' } } }],
  })
  damaged = (await other.turn('Two', { fileUid })).conversation.id
  await other.does('system-prompt', damaged, { systemPrompt: 'Brief.' })
  const { runId } = await bench.row(damaged)
  await Table.transact([
    Changes.note(damaged, 1, runId),
    Dropped.note(damaged, 'dropped'),
    Run.intention({ owner: 2, runId }, { id: 'c', tool: 'update_record' }, 'k', bench.clock.now()),
    Idempotency.remember({ uid: 2, key: 'known', route: 'r', input: 1 }, {}, bench.clock.now()),
  ])
  scene = (await scan()) as (Table.Row & Table.Key)[]
})
afterAll(() => bench.stop())

const placed = (sk: RegExp) =>
  scene.filter((row) => sk.test(row.sk) && !(row.pk.startsWith('conversation#') && row.pk.endsWith(healthy)))

test('every noun that core declares is in the table, with a row in the scene', () => {
  const root = fileURLToPath(new URL('../../../', import.meta.url))
  const declared = files(root, ['core']).flatMap((path) =>
    [...readFileSync(join(root, path), 'utf8').matchAll(/= item\('([a-z ]+)', \d+,/g)].map(
      ([, noun]) => noun,
    ),
  )
  expect(all.map(({ codec }) => codec.noun).toSorted()).toEqual(declared.toSorted())
  expect(all.filter(({ sk }) => placed(sk).length === 0).map(({ codec }) => codec.noun)).toEqual([])
})

const cases = all.flatMap(({ codec, sk }) =>
  Object.values(codec.fields).flatMap(({ attribute, isRequired }) =>
    damages.map(([how, of]) => ({ codec, sk, attribute, isRequired, how, of, noun: codec.noun })),
  ),
)

describe('reading', () => {
  test.each(cases)(
    '$noun with $attribute $how: the rest is as it was',
    ({ codec, sk, attribute, of, how, isRequired }) => {
      for (const row of placed(sk)) {
        const whole = codec.read(row)
        const { value, unread } = codec.read(of(row, attribute))
        const others = ([name]: [string, unknown]) => codec.fields[name]?.attribute !== attribute
        expect(Object.entries(value).filter(others)).toEqual(Object.entries(whole.value).filter(others))
        if (how !== 'missing' || isRequired)
          expect(Object.keys(unread).filter((name) => name !== 'messages')).toEqual(
            attribute === 'messages' ? [] : [attribute],
          )
        else expect(unread).toEqual({})
      }
    },
  )

  test.each(all.map(({ codec, sk }) => ({ codec, sk, noun: codec.noun })))(
    '$noun of a later release reads as this one knows it, and carries a number',
    ({ codec, sk }) => {
      for (const row of placed(sk)) {
        const later = { ...row, schema: codec.schema + 1, later: { a: 1 }, more: null }
        expect(codec.read(later)).toEqual(codec.read(row))
        expect(codec.read(row).unread).toEqual({})
        expect(row.schema).toBe(1)
      }
    },
  )
})
