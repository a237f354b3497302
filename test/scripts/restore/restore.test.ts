import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import * as Table from '../../../core/base/aws/table.ts'
import { config } from '../../../core/base/config.ts'
import * as UserData from '../../../core/chat/user-data/work-record.ts'
import { siteKey } from '../../../core/cms/reference/item.ts'
import { client } from '../../../core/file/store.ts'
import { key as settingsKey } from '../../../core/stage/settings/settings.ts'
import { createChatTable } from '../../../infra/local/resources.ts'
import { UsageError } from '../../../scripts/command.ts'
import { erasedSince, refuseOther, restoreFiles, restoreRows } from '../../../scripts/restore/rows.ts'
import { bench, benched, editor, logInAgain } from '../../support/benched.ts'
import { emptyQueue, scan } from '../../support/scan.ts'

/** The page "Restore" of the runbook, rehearsed: what AWS would restore is a copy of the table, made at that second. */

benched({ maxActiveConversations: null })

const restored = 'restored'

beforeAll(async () => {
  await createChatTable(Table.documents() as never, restored)
})
beforeEach(async () => {
  bench.api.always({ text: 'Answer.' })
  await Table.removeAll((await scan()).map(({ pk, sk }) => ({ pk, sk })))
  await bench.configure()
  await logInAgain()
})
afterEach(() => emptyQueue())

/** Copies the table as it is now into the one that is restored to this second. */
async function keepThisSecond(): Promise<void> {
  for (const row of await scan()) await Table.put(row, {}, restored)
}

/** The rows of a conversation, as they are stored. */
const rowsOf = async (id: string) => (await scan()).filter(({ pk }) => pk === `conversation#${id}`)
const lose = async (id: string) => Table.removeAll((await rowsOf(id)).map(({ pk, sk }) => ({ pk, sk })))
const erased = async (uid: number, startedAt: number, endedAt: number) =>
  UserData.store(await UserData.beginRecord(uid, 'erase', startedAt), UserData.none, true, null, endedAt)
const again = (over: { isDryRun?: boolean; partition?: string } = {}) =>
  restoreRows({ from: restored, to: config().table, isDryRun: false, now: bench.clock.now(), ...over })

test('what is lost comes back under maintenance, what came later stays, and a turn that was under way is tried again', async () => {
  const user = await bench.login('editor')
  const lost = (await user.turn('Before')).conversation.id
  const spoilt = (await user.turn('Spoilt')).conversation.id
  const running = (await user.send('Running')).conversation.id
  const left = await bench.login('autorin')
  await keepThisSecond()
  const [before, whole] = [await user.poll(lost), await rowsOf(spoilt)]

  // After that second a user leaves, another conversation begins, and the mistake happens.
  await left.ask('/backend/logout', { body: {} })
  await emptyQueue()
  const later = (await user.turn('Later')).conversation.id
  await lose(lost)
  await lose(running)
  await Table.put({ pk: `conversation#${spoilt}`, sk: 'conversation', title: 7 })
  expect((await user.get('/conversations/messages', { conversationId: lost })).status).toBe(404)

  await bench.configure({ maintenance: true })
  expect((await user.post('send', { content: 'Now' })).body).toMatchObject({
    error: { code: 'service.maintenance' },
  })
  const [dry, nothing] = [await again({ isDryRun: true }), await rowsOf(lost)]
  expect([dry.missing > 4, dry.replaced, nothing]).toEqual([true, 0, []])
  expect(await again()).toEqual(dry)
  expect(await again()).toMatchObject({ missing: 0, replaced: 0 })
  expect(await again({ partition: `conversation#${spoilt}` })).toMatchObject({ missing: 0, replaced: 1 })

  expect(await user.poll(lost)).toEqual(before)
  expect(await rowsOf(spoilt)).toEqual(whole)
  expect((await user.poll(later)).messages).toHaveLength(2)
  expect((await left.get('/status')).status).toBe(401)

  // A restore takes longer than a turn may be silent.
  await bench.clock.pass(20 * 60_000)
  await bench.configure()
  await bench.cleanup()
  expect((await bench.row(running)).errorCode).toBe('turn.notStarted')
  await user.does('retry', running)
  await bench.settle()
  expect((await user.poll(running)).messages.map(({ content }) => content)).toEqual(['Running', 'Answer.'])
})

test('access that was revoked since stays revoked', async () => {
  const keys = ['access-token#1', 'connection#shop', 'ticket#1', 'prompts'].map((sk) => ({
    pk: 'user#9',
    sk,
  }))
  for (const key of keys) await Table.put(key, {}, restored)

  await again()

  expect((await scan()).filter(({ pk }) => pk === 'user#9').map(({ sk }) => sk)).toEqual(['prompts'])
})

test('a turn that was under way a minute ago goes on by itself', async () => {
  const { conversation } = await editor.send('Running')
  await keepThisSecond()
  await emptyQueue()
  await lose(conversation.id)

  await again()
  await bench.clock.pass(61_000)
  await bench.cleanup()
  await bench.settle()

  expect((await editor.poll(conversation.id)).conversation.status).toBe('idle')
})

test('what has expired since stays away, and users whose data was erased since are named', async () => {
  const now = bench.clock.now()
  await Table.put({ pk: 'user#2', sk: 'usage#old', expires_at: now / 1_000 - 1 }, {}, restored)
  await UserData.beginRecord(2, 'erase', now - 1)
  await erased(3, now - 2, now)
  await UserData.beginRecord(4, 'export', now)
  await erased(5, now - 2, now - 1)

  await again()

  expect(await Table.get({ pk: 'user#2', sk: 'usage#old' })).toBeUndefined()
  expect(await erasedSince(now)).toEqual([2, 3])
})

test('a table that is not there is a wrong call, and one that is read tells how far it is', async () => {
  const how = { to: config().table, isDryRun: true, now: bench.clock.now() }
  await expect(refuseOther('wrong', siteKey, 'another')).rejects.toThrow(
    new UsageError('There is no table wrong in the account and the region of this stage.'),
  )
  const told: number[] = []
  const { looked } = await restoreRows({ ...how, from: restored }, (found) => told.push(found.looked))
  expect(told.at(-1)).toBe(looked)
})

test('the table of the CMS in place of the chat, and the reverse, are refused before anything is written', async () => {
  const { table, cmsTable = '' } = config()

  await expect(refuseOther(cmsTable, siteKey, 'that of the chat')).rejects.toThrow(
    new UsageError(`${cmsTable} is another table: it has the row site. Name that of the chat.`),
  )
  await expect(refuseOther(table, settingsKey, 'that of the CMS')).rejects.toThrow(/it has the row settings/)
  await refuseOther(table, siteKey, 'that of the chat')
  await refuseOther(cmsTable, settingsKey, 'that of the CMS')
})

/** The emulator keeps no versions: what the store would answer, and what it is asked to remove. */
test('marks of files that existed and were deleted since are removed, and no other version', async () => {
  const since = Date.parse('2026-11-20T10:00:00Z')
  const at = (minutes: number) => new Date(since + minutes * 60_000)
  const marks = [
    { Key: 'fileadmin/ai-chat/2/1.pdf', VersionId: 'a', IsLatest: true, LastModified: at(5) },
    { Key: 'fileadmin/ai-chat/2/2.pdf', VersionId: 'b', IsLatest: true, LastModified: at(-5) },
    { Key: 'fileadmin/ai-chat/2/3.pdf', VersionId: 'c', IsLatest: false, LastModified: at(5) },
    { Key: 'fileadmin/ai-chat/2/4.pdf', VersionId: 'd', IsLatest: true, LastModified: at(5) },
  ]
  // The fourth file came and went after that second.
  const versions = [1, 2, 3, 4].map((uid) => ({
    Key: `fileadmin/ai-chat/2/${uid}.pdf`,
    VersionId: 'content',
    LastModified: at(uid === 4 ? 1 : -60),
  }))
  const removed: unknown[] = []
  const answer = () => async (args: { input: { KeyMarker?: string; VersionId?: string; Key?: string } }) => {
    const { input } = args
    if (input.VersionId) removed.push([input.Key, input.VersionId])
    const isFirst = !input.VersionId && input.KeyMarker === undefined
    const page = isFirst
      ? { DeleteMarkers: marks.slice(0, 1), IsTruncated: true, NextKeyMarker: 'k', NextVersionIdMarker: 'v' }
      : { DeleteMarkers: marks.slice(1), Versions: versions }
    return { output: page, response: {} }
  }
  client().middlewareStack.add(answer as never, { step: 'initialize', name: 'versions' })
  try {
    expect(await restoreFiles(since, true)).toBe(1)
    expect(removed).toEqual([])
    expect(await restoreFiles(since, false)).toBe(1)
  } finally {
    client().middlewareStack.remove('versions')
  }
  expect(removed).toEqual([['fileadmin/ai-chat/2/1.pdf', 'a']])
})
