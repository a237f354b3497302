import { expect, test } from 'vitest'
import { list } from '../../../core/chat/list.ts'
import { send } from '../../../core/chat/send.ts'
import type { Cms } from '../../../core/cms/cms.ts'
import * as Waiting from '../../../core/conversation/waiting.ts'
import * as Usage from '../../../core/stage/usage/usage.ts'
import { actor } from '../../support/actor.ts'
import { settings } from '../../support/settings.ts'

const now = Date.parse('2026-03-01T23:00:00Z')
const draft = { content: 'Hello' }

/** Sends a first message of a user who has used 1,000 tokens today. */
async function sendUnder(dailyTokensPerUser: number | null, uid: number) {
  const owner = actor({ uid })
  const used = { model: 'm', input: 900, output: 100, cacheRead: 0, cacheWrite: 0, microDollars: null }
  await Usage.settleCall(uid, { runId: 'earlier', round: 1 }, used, now)
  const starter = {
    actor: owner,
    settings: settings({ dailyTokensPerUser }),
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
