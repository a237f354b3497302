import type { Actor } from '../../core/base/actor.ts'
import type { Cms } from '../../core/cms/cms.ts'
import { numbered } from '../../core/cms/user-number/user-number.ts'
import { answerOf, csvFile, type Person, reportRows } from '../../core/stage/usage/report.ts'
import { Days, UsageAnswer } from '../../core/stage/usage/schema.ts'
import { route } from '../http/route.ts'

const example = { from: '2026-11-01', to: '2026-11-30' }
const days =
  'At most 92 days. Days are left out, the oldest first, where they hold more than 10,000 days of users.'

/** Routes for the usage of the stage; administrators only. */
export const usageRoutes = {
  'GET /backend/usage': route({
    input: Days,
    summary: 'Turns, failures, tokens and cost by user, group, model and day.',
    description: days,
    answers: { 200: { description: 'The sums.', schema: UsageAnswer } },
    example,
    run: async ({ actor, live, settings }, asked) => {
      const [rows, people] = await Promise.all([reportRows(asked), peopleOf(live.cms, actor)])
      const budget = { stage: settings.dailyTokens, user: settings.dailyTokensPerUser }
      return { body: { ...answerOf(asked, rows, people), budget } }
    },
  }),
  'GET /backend/usage/export': route({
    input: Days,
    summary: 'The same as a file: a row for each day, user and model.',
    description: days,
    answers: { 200: { description: 'CSV in UTF-8.', type: 'text/csv', headers: ['Content-Disposition'] } },
    example,
    run: async ({ actor, live }, asked) => {
      const [{ rows }, people] = await Promise.all([reportRows(asked), peopleOf(live.cms, actor)])
      return csvFile(asked, rows, people)
    },
  }),
}

/** The backend users as the CMS names them; where it cannot tell, reports have numbers alone. */
async function peopleOf(cms: Cms, actor: Actor): Promise<Person[]> {
  return (await cms.capabilities()).users ? numbered(await cms.users(actor)) : []
}
