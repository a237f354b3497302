/**
 * `npm run feedback`: prints users' feedback on answers: counted by model, prompt version or day, or each entry with
 * the user's words. `ai-chat:explain` shows the steps of an entry's run. Exit codes: 0 printed, 2 wrong call.
 */
import { own } from '../core/base/json.ts'
import { live } from '../core/live.ts'
import { type FeedbackRow, feedbackOf, sumFeedback } from '../core/user/feedback.ts'
import { daysIn, flag, print, runStageCommand, text, UsageError } from './command.ts'

const usage =
  'npm run feedback -- [--by model|prompt|day] [--words] [--from YYYY-MM-DD] [--to YYYY-MM-DD] [--stage NAME]'

const keys: Record<string, (row: FeedbackRow) => string> = {
  model: ({ model }) => model || 'unknown',
  prompt: ({ model, promptVersion }) => `${model || 'unknown'}  ${promptVersion || 'unknown'}`,
  day: ({ at }) => at.slice(0, 10),
}

const options = { by: { ...text, default: 'model' }, from: text, to: text, stage: text, words: flag }

runStageCommand(usage, { options }, async ({ values }) => {
  const keyOf = own(keys, values.by)
  if (!keyOf) throw new UsageError(`--by is ${values.by}; it can be ${Object.keys(keys).join(', ')}.`)
  const days = daysIn(values, live().clock.now())
  const rows = await feedbackOf(days)
  print(`${days.from} to ${days.to}, UTC: ${rows.length} answers were judged`)
  if (values.words) for (const row of rows) print(JSON.stringify(row))
  else
    for (const [key, { helpful, notHelpful, reasons }] of sumFeedback(rows, keyOf)) {
      const why = Object.entries(reasons).map(([reason, count]) => `${reason} ${count}`)
      print([key, `helpful ${helpful}`, `not helpful ${notHelpful}`, ...why].join('  '))
    }
  return 0
})
