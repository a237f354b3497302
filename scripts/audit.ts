/**
 * `npm run audit:print`: prints the audit of a stage, one OCSF entry per line, oldest first: logins, approvals,
 * changes, undos, exports, erasures and refusals. The default range is today (UTC); --from and --to set another range.
 * Exit codes: 0 for success, 2 for a wrong call.
 */
import { dayMs } from '../core/base/clock.ts'
import { live } from '../core/live.ts'
import { dayOf } from '../core/stage/usage/budget.ts'
import { entries } from '../core/user/audit.ts'
import { daysIn, print, runStageCommand, text } from './command.ts'
import { uidIn } from './user-argument.ts'

const usage = 'npm run audit:print -- [--from YYYY-MM-DD] [--to YYYY-MM-DD] [--user ID] [--stage NAME]'

const options = { from: text, to: text, user: text, stage: text }

runStageCommand(usage, { options }, async ({ values }) => {
  const { from, to } = daysIn({ from: values.from ?? values.to, to: values.to }, live().clock.now(), 0)
  const uid = await uidIn('user', values.user)
  for (let at = Date.parse(from); at <= Date.parse(to); at += dayMs)
    for await (const entry of entries(dayOf(at), uid)) print(JSON.stringify(entry))
  return 0
})
