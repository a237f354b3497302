import { expect, test } from 'vitest'
import * as Table from '../../../core/base/aws/table.ts'
import { list } from '../../../core/chat/list.ts'
import { send } from '../../../core/chat/send.ts'
import type { Cms } from '../../../core/cms/cms.ts'
import * as Claim from '../../../core/conversation/claim.ts'
import * as Quota from '../../../core/conversation/quota.ts'
import * as Waiting from '../../../core/conversation/waiting.ts'
import type { Settings } from '../../../core/stage/settings/schema.ts'
import * as Usage from '../../../core/stage/usage/usage.ts'
import { actor } from '../../support/actor.ts'
import { stored } from '../../support/seeded.ts'
import { settings } from '../../support/settings.ts'

const now = Date.parse('2026-03-01T23:00:00Z')
const draft = { content: 'Hello' }

/** Sends a first message of a user who has used 1,000 tokens today. */
async function sendUnder(dailyTokensPerUser: number | null, uid: number, over: Partial<Settings> = {}) {
  const owner = actor({ uid })
  const used = { model: 'm', input: 900, output: 100, cacheRead: 0, cacheWrite: 0, microDollars: null }
  await Usage.settleCall(uid, { runId: 'earlier', round: 1 }, used, now)
  const starter = {
    actor: owner,
    settings: settings({ dailyTokensPerUser, ...over }),
    request: undefined,
    seen: Waiting.nothing,
    now,
  }
  return { owner, sent: send(starter, {} as Cms, undefined, draft) }
}

test('a user whose tokens are used up starts nothing, and learns when it is possible again', async () => {
  const { owner, sent } = await sendUnder(1_000, 901)

  await expect(sent).rejects.toMatchObject({ code: 'user.budgetSpent', retryAfterMs: 3_600_000 })
  const query = { archived: false, waiting: false, search: undefined, limit: 10, cursor: undefined }
  const { conversations } = await list(owner, query)
  expect(conversations).toEqual([])
})

test.each([
  [902, 1_001],
  [903, null],
])('user %i with %j tokens a day starts a turn', async (uid, daily) => {
  const { sent } = await sendUnder(daily, uid)

  expect(await sent).toMatchObject({ conversation: { status: 'processing' }, sequence: 0 })
})

test('a user with more active conversations than one request reads is refused like any other', async () => {
  const uid = 904
  const active: string[] = []
  for (let n = 0; n < 120; n++) active.push((await stored({ ...Claim.begin(now) }, uid)).id)
  await Table.put({ ...Quota.key(uid), ...Quota.codec.encode({ active, conversations: 120 }) })
  const caps = { maxActiveConversations: 120, maxConversationsPerUser: null }

  await expect(sendUnder(null, uid, caps).then(({ sent }) => sent)).rejects.toMatchObject({
    code: 'user.tooManyActive',
    params: { max: 120 },
  })
})
