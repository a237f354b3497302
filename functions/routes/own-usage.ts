import type { Actor } from '../../core/base/actor.ts'
import { Days, OwnUsageAnswer } from '../../core/stage/usage/schema.ts'
import { route } from '../http/route.ts'

const example = { from: '2026-11-01', to: '2026-11-30' }

/** Imports the module on demand, because few requests are about usage. */
const reports = () => import('../../core/stage/usage/report.ts')

/** Routes for the user's own usage, if the settings show it to users. */
export const ownUsageRoutes = {
  'GET /ai-chat/usage': route({
    input: Days,
    summary: 'Turns, tokens and cost of the user alone, by model and day.',
    answers: {
      200: {
        description: 'The sums; null where the settings show no usage to users.',
        schema: OwnUsageAnswer,
      },
    },
    example,
    isPoll: true,
    run: async ({ actor, settings }, asked) => {
      if (settings.showUsage === 'nothing') return { body: { usage: null } }
      const { answerOf, ownRows } = await reports()
      const rows = await ownRows(actor.uid, asked, settings.showUsage === 'cost')
      const { byUser: _, byGroup: __, ...sums } = answerOf(asked, { rows, since: asked.from }, [])
      return { body: { usage: { ...sums, budget: { stage: null, user: settings.dailyTokensPerUser } } } }
    },
  }),
  'GET /ai-chat/usage/export': route({
    input: Days,
    summary: 'The same as a file: a row for each day and model.',
    answers: { 200: { description: 'CSV in UTF-8.', type: 'text/csv', headers: ['Content-Disposition'] } },
    example,
    run: async ({ actor, settings }, asked) => {
      const { csvFile, ownRows } = await reports()
      const isShown = settings.showUsage !== 'nothing'
      const rows = isShown ? await ownRows(actor.uid, asked, settings.showUsage === 'cost') : []
      return csvFile(asked, rows, [person(actor)])
    },
  }),
}

const person = ({ uid, username }: Actor) => ({ uid, username, groups: [] })
