/**
 * `npm run doctor`: checks the parts of a stage and runs one turn, and prints the findings. With `--http` it checks
 * from outside, as a user of the stage with only that user's rights. Exit codes: 0 all checks passed, 1 a check failed,
 * 2 wrong call. A deploy can run it as its last step.
 */
import { styleText } from 'node:util'
import { systemClock } from '../core/base/clock.ts'
import { config } from '../core/base/config.ts'
import type { UserId } from '../core/cms/user-number/schema.ts'
import { live } from '../core/live.ts'
import { userKey } from '../core/user/session/user-key.ts'
import { journey } from '../core/watch/canary/journey.ts'
import { type Check, type Finding, prove } from '../core/watch/canary/proof.ts'
import type { Who } from '../core/watch/canary/schema.ts'
import { dim, enterStage, marks, print, rerunInStage, runCommand, text, UsageError } from './command.ts'
import { checks } from './doctor/check.ts'
import { canary } from './doctor/visit.ts'
import { userIn } from './user-argument.ts'

const usage = `npm run doctor -- [--stage NAME] [--user ID]
       npm run doctor -- --http ADDRESS --as NAME --page UID
       npm run doctor -- --http ADDRESS --user ID --issuer ISSUER --audience AUDIENCE --page UID
With --http, AI_CHAT_SECRET_CANARY is the password of the user, or the key of the exchange.`

const options = { stage: text, user: text, http: text, as: text, page: text, issuer: text, audience: text }

runCommand(usage, { options }, async ({ values }) => {
  // Log lines that are not errors would disturb the printed findings.
  process.env.POWERTOOLS_LOG_LEVEL ??= 'ERROR'
  const { http } = values
  const uid = userIn('user', values.user)
  if (http !== undefined) {
    if (!URL.canParse(http)) throw new UsageError(`--http is ${http}, which is no address.`)
    const { origin } = new URL(http)
    const errand = { who: who(values, uid), page: values.page ?? '', turns: true }
    if (errand.page === '')
      throw new UsageError('--page is missing: the page whose change is asked for and declined.')
    return report('http', origin, journey({ ...errand, origin, ask: fetch, clock: systemClock }))
  }
  const shellCode = rerunInStage(values.stage)
  if (shellCode !== undefined) return shellCode
  enterStage()
  const turn = { name: 'canary turn', prove: () => canary(live(), uid ?? 1) }
  return report(config().stage, config().origin, [...checks, turn])
})

/**
 * Returns the user of a check over HTTP. The check gets only the key derived for this user, not the exchange key
 * itself.
 */
function who(
  { as: username, issuer, audience }: Record<string, string | undefined>,
  uid: UserId | undefined,
): Who {
  if (username) return { username }
  if (uid !== undefined && issuer && audience) {
    const { AI_CHAT_SECRET_CANARY: key = '' } = process.env
    process.env.AI_CHAT_SECRET_CANARY = userKey(key, String(uid))
    return { uid, issuer, audience }
  }
  throw new UsageError(
    'With --http, --as names a user, or --user, --issuer and --audience name one of a CMS elsewhere.',
  )
}

/** Runs the checks and prints each finding; returns the exit code. */
async function report(title: string, address: string, list: Check[]): Promise<number> {
  print(`  ${address}\n`, `\n  ${styleText('bold', title)}`)
  const findings = await prove(list, printFinding)
  const isGood = findings.every(({ outcome }) => outcome !== 'failed')
  print(isGood ? '\n  All is well.\n' : '\n  Not all is well.\n')
  return isGood ? 0 : 1
}

function printFinding({ name, outcome, detail, ms }: Finding): void {
  print(`${name.padEnd(14)} ${detail} `, `  ${marks[outcome]}  `, dim(`${ms} ms`))
}
