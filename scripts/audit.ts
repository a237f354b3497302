/**
 * `npm run audit:print`: prints the audit of a stage, one OCSF entry per line, oldest first: logins, approvals,
 * changes, undos, exports, erasures and refusals. The default range is today (UTC); --from and --to set another range.
 * Exit codes: 0 for success, 2 for a wrong call.
 */
import { dayMs } from '../core/base/clock.ts'
import { live } from '../core/live.ts'
import { entries } from '../core/user/audit.ts'
import { command, day, print, text } from './command.ts'
import { uidIn } from './user-argument.ts'

const usage = 'npm run audit:print -- [--from YYYY-MM-DD] [--to YYYY-MM-DD] [--user ID] [--stage NAME]'

const options = { from: text, to: text, user: text, stage: text }

command(usage, { options }, async ({ values }) => {
  const now = live().clock.now()
  const from = Date.parse(day('from', values.from ?? values.to, now))
  const to = Date.parse(day('to', values.to, now))
  const uid = await uidIn('user', values.user)
  for (let at = from; at <= to; at += dayMs)
    for await (const entry of entries(new Date(at).toISOString().slice(0, 10), uid))
      print(JSON.stringify(entry))
  return 0
})
