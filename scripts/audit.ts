/**
 * `npm run audit:print`: prints the audit of a stage, one OCSF entry a line, oldest first: logins, approvals, changes,
 * undos, exports, erasures and refusals. The default range is today (UTC); --from and --to set another. Exit codes: 0
 * printed, 2 wrong call.
 */
import { parseArgs } from 'node:util'
import { dayMs } from '../core/base/clock.ts'
import { live } from '../core/live.ts'
import { entries } from '../core/user/audit/audit.ts'
import { command, complain, isLinked, print, throughShell, UsageError } from './command.ts'
import { uidIn } from './user-argument.ts'

const usage = 'npm run audit:print -- [--from YYYY-MM-DD] [--to YYYY-MM-DD] [--user ID] [--stage NAME]'

const values = read()
if (values.stage && values.stage !== 'local' && !isLinked()) process.exit(throughShell(values.stage))

command(usage, async () => {
  const today = new Date(live().clock.now()).toISOString().slice(0, 10)
  const from = day('from', values.from ?? values.to ?? today)
  const to = day('to', values.to ?? today)
  const uid = await uidIn('user', values.user)
  for (let at = from; at <= to; at += dayMs)
    for await (const entry of entries(new Date(at).toISOString().slice(0, 10), uid))
      print(JSON.stringify(entry))
  return 0
})

function day(name: string, text: string): number {
  const at = /^\d{4}-\d{2}-\d{2}$/.test(text) ? Date.parse(text) : Number.NaN
  if (Number.isNaN(at)) throw new UsageError(`--${name} is ${text}; it has to be a day such as 2026-11-20.`)
  return at
}

function read() {
  try {
    return parseArgs({
      options: {
        from: { type: 'string' },
        to: { type: 'string' },
        user: { type: 'string' },
        stage: { type: 'string' },
      },
    }).values
  } catch (error) {
    complain(`${(error as Error).message}\nUsage: ${usage}`)
    process.exit(2)
  }
}
