import { loadLanguage } from '../core/base/language.ts'
import { serverIssues, status } from '../core/chat/status.ts'
import { StatusAnswer, StatusQuery } from '../core/chat/status-request.ts'
import * as Quota from '../core/conversation/quota.ts'
import * as Waiting from '../core/conversation/waiting.ts'
import { dayOf } from '../core/stage/usage/budget.ts'
import * as Usage from '../core/stage/usage/item.ts'
import { http } from './http/http.ts'
import { route } from './http/route.ts'

/** `GET /ai-chat/status`: the features that the interface offers this user. */
export const routes = {
  'GET /ai-chat/status': route({
    input: StatusQuery,
    summary: 'What the interface may offer this user: formats, limits, tools, and what is wrong.',
    answers: { 200: { description: 'The status.', schema: StatusAnswer } },
    isPoll: true,
    reads: ({ uid, now }) => [Quota.key(uid), Waiting.key, Usage.key(uid, dayOf(now))],
    run: async ({ actor, settings, live, rows: [row, seen, day], now }, { lang }) => {
      const [capabilities] = await Promise.all([live.cms.capabilities(), loadLanguage(lang ?? actor.lang)])
      const { settled } = Usage.decode(dayOf(now), day)
      const today = { tokens: settled, ofStage: Waiting.decode(seen, now).tokens }
      const body = await status(actor, settings, Quota.decode(row), today, capabilities, lang)
      return { body: { ...body, issues: [...body.issues, ...(await serverIssues(actor, settings, lang))] } }
    },
  }),
}

/** The function for the status. */
export const handler = http(routes)
