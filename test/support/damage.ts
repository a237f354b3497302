import * as RunItem from '../../core/agent/run-record.ts'
import * as Run from '../../core/agent/run-record.ts'
import * as Thought from '../../core/agent/thought.ts'
import type { Fields, item } from '../../core/base/aws/item.ts'
import * as Table from '../../core/base/aws/table.ts'
import { hash } from '../../core/base/hash.ts'
import * as Idempotency from '../../core/chat/idempotency.ts'
import * as UserData from '../../core/chat/user-data/work-record.ts'
import * as UserNumber from '../../core/cms/user-number/user-number.ts'
import * as Conversation from '../../core/conversation/item.ts'
import * as Quota from '../../core/conversation/quota.ts'
import * as Activity from '../../core/conversation/transcript/activity.ts'
import * as Changes from '../../core/conversation/transcript/changes.ts'
import * as Message from '../../core/conversation/transcript/item.ts'
import * as Next from '../../core/conversation/transcript/next.ts'
import * as Pending from '../../core/conversation/transcript/pending.ts'
import * as Transcript from '../../core/conversation/transcript/transcript.ts'
import * as Waiting from '../../core/conversation/waiting.ts'
import * as File from '../../core/file/item.ts'
import * as Pace from '../../core/stage/pace/pace.ts'
import * as Share from '../../core/stage/pace/share.ts'
import * as Settings from '../../core/stage/settings/settings.ts'
import * as Usage from '../../core/stage/usage/item.ts'
import * as Servers from '../../core/tool/remote/review.ts'
import * as AccessToken from '../../core/user/access-token/schema.ts'
import * as Token from '../../core/user/access-token/token.ts'
import * as Audit from '../../core/user/audit.ts'
import * as Client from '../../core/user/connection/client.ts'
import * as Connection from '../../core/user/connection/grant.ts'
import * as Feedback from '../../core/user/feedback.ts'
import * as OwnInstructions from '../../core/user/own-instructions.ts'
import * as SavedPrompts from '../../core/user/saved-prompt.ts'
import * as Session from '../../core/user/session/session.ts'
import type { Bench, User } from './live.ts'
import { scan } from './scan.ts'
import { textUser } from './text-users.ts'

export type Codec = Pick<ReturnType<typeof item<Fields>>, 'noun' | 'fields' | 'read' | 'schema'>

/** Each noun of the chat table that requests, turns and cleanup read, with its rows in the scene. */
export const nouns: { codec: Codec; sk: RegExp }[] = [
  { codec: Conversation.codec, sk: /^conversation$/ },
  { codec: Message.codec, sk: /^message#/ },
  { codec: Next.codec, sk: /^next#/ },
  { codec: Pending.codec, sk: /^pending$/ },
  { codec: Pending.callCodec, sk: /^pending#/ },
  { codec: Activity.codec, sk: /^steps$/ },
  { codec: Transcript.instructionsCodec, sk: /^prompt$/ },
  { codec: Changes.codec, sk: /^written#/ },
  { codec: Changes.droppedCodec, sk: /^turn#/ },
  { codec: File.codec, sk: /^file#/ },
  { codec: RunItem.runCodec, sk: /^run$/ },
  { codec: RunItem.stepCodec, sk: /^step#/ },
  { codec: RunItem.intentCodec, sk: /^intent#/ },
  { codec: Session.codec, sk: /^session$/ },
  { codec: Usage.codec, sk: /^usage#/ },
  { codec: Quota.codec, sk: /^quota$/ },
  { codec: Idempotency.codec, sk: /^idempotency#/ },
  { codec: Waiting.codec, sk: /^waiting$/ },
  { codec: Pace.codec, sk: /^pace#/ },
  { codec: Share.codec, sk: /^share#/ },
  { codec: Servers.codec, sk: /^server#/ },
  { codec: Audit.codec, sk: /Z#/ },
  { codec: UserData.codec, sk: /^(export|erase)#/ },
  { codec: Connection.codec as Codec, sk: /^connection#/ },
  { codec: AccessToken.codec as Codec, sk: /^access-token#/ },
  { codec: SavedPrompts.codec as Codec, sk: /^prompts$/ },
  { codec: OwnInstructions.codec, sk: /^instructions$/ },
  { codec: Feedback.codec, sk: /^feedback$/ },
  { codec: UserNumber.codec, sk: /^user-number$/ },
]
/** The same with the settings, with what only a request to connect reads, and with what only a resumed turn reads. */
export const all = [
  ...nouns,
  { codec: Settings.codec as Codec, sk: /^settings$/ },
  { codec: Connection.attemptCodec as Codec, sk: /^connecting#/ },
  { codec: Client.codec as Codec, sk: /^[0-9a-f]{64}$/ },
  { codec: Thought.codec as Codec, sk: /^thought#/ },
]

const wrong = { damaged: true }
/** What can be wrong with an attribute. */
export const damages: [how: string, of: (row: Table.Row, attribute: string) => Table.Row][] = [
  ['missing', (row, name) => Object.fromEntries(Object.entries(row).filter(([key]) => key !== name))],
  ['null', (row, name) => ({ ...row, [name]: null })],
  ['of another type', (row, name) => ({ ...row, [name]: name === 'damaged' ? 'x' : wrong })],
]

/** Rows of every noun: a conversation that is whole, and one that a test may damage. */
export type Scene = {
  rows: (Table.Row & Table.Key)[]
  damaged: string
  healthy: string
  fileUid: number
  runId: string
  /** Logged in when the scene was made. */
  editor: User
}

/** Fills the table of a bench with rows of every noun, made by real requests and a real turn. */
export async function makeScene(bench: Bench): Promise<Scene> {
  const editor = await bench.login('editor')
  const form = new FormData()
  form.set('file', new Blob(['Text'], { type: 'text/plain' }), 'own.txt')
  const { fileUid } = (await editor.ask<{ fileUid: number }>('/ai-chat/file-upload', { form })).body
  bench.api.reply({ text: 'Hello.' })
  const healthy = (await editor.turn('One')).conversation.id
  bench.api.reply({
    calls: [{ name: 'update_record', arguments: { table: 'pages', uid: 3, fields: { title: 'New' } } }],
  })
  const damaged = (await editor.turn('Two', { fileUid })).conversation.id
  const viewContext = { pageId: 3, module: 'page' }
  await editor.post('next', { act: 'add', conversationId: damaged, content: 'Then?', viewContext })
  await editor.does('system-prompt', damaged, { systemPrompt: 'Brief.' })
  const { runId } = await bench.row(damaged)
  await Table.transact([
    Changes.note({ id: damaged, path: [] }, 1, runId),
    Changes.noteDropped(damaged, 'dropped'),
    Run.intention({ owner: 2, runId }, { id: 'c', tool: 'update_record', order: 1 }, 'k', bench.clock.now()),
    ...Thought.writes({ owner: 2, runId, expiresAt: 2_000_000_000 }, 1, 'm', [{ type: 'text', text: 'So.' }]),
    Idempotency.remember({ uid: 2, key: 'known', route: 'r', input: 1 }, {}, bench.clock.now()),
  ])
  const told = { act: 'change', uid: 2, source: 'consumer' } as const
  await Audit.note(told, null, bench.clock.now())
  await UserData.beginRecord(2, 'export', bench.clock.now())
  await Waiting.note({ waitMs: 1_000, waits: { 'user-2': 1_000 }, tokens: 1_000 }, bench.clock.now())
  await Table.put({ ...Pace.key(1), ...Pace.codec.encode({ requests: 1, tokens: 1 }) })
  const { tenant } = await bench.row(damaged)
  await Table.put({ ...Share.key(1, tenant), ...Share.codec.encode({ booked: 1, first: 1, again: 1 }) })
  await Servers.remember('shop', { failure: 'The server did not answer.' }, bench.clock.now())
  await connect(bench.clock.now())
  await editor.ask('/ai-chat/prompts/save', { body: { title: 'Briefly', text: 'In one sentence.' } })
  await editor.ask('/ai-chat/instructions', { body: { text: 'Call me Kim.' } })
  await editor.post('feedback', { conversationId: damaged, runId, verdict: 'notHelpful', words: 'Why?' })
  await UserNumber.numberOf(textUser(2))
  await Token.create({ uid: 2 }, { name: 'Laptop', days: 30 }, bench.clock.now())
  return { rows: (await scan()) as Scene['rows'], damaged, healthy, fileUid, runId, editor }
}

/** A grant of the editor for a server of tools, an attempt to get one, and the stage's registration there. */
async function connect(now: number): Promise<void> {
  const url = 'https://tools.example/mcp'
  const since = new Date(now).toISOString()
  const grant = { server: 'shop', url, state: 'connected', sealed: 'x', until: now, since } as const
  const place = { pk: 'connection-client', sk: hash('https://grants.example') }
  await Table.put({
    ...Connection.key(2, 'shop'),
    ...Connection.codec.encode({ ...grant, version: 1, renewingUntil: 0 }),
  })
  const attempt = Connection.attemptCodec.encode({ server: 'shop', sealed: 'x', until: now })
  await Table.put({ ...Connection.attemptKey(2, 'hash'), ...attempt })
  await Table.put({ ...place, ...Client.codec.encode({ sealed: 'x' }) })
}

/** The rows of a noun that a test may damage: none of the conversation that has to stay whole. */
export const placed = ({ rows, healthy }: Scene, sk: RegExp) =>
  rows.filter((row) => sk.test(row.sk) && !(row.pk.startsWith('conversation#') && row.pk.endsWith(healthy)))
