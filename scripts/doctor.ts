/**
 * `npm run doctor`: proves that a stage works, from its table to one turn, and prints what it found. With `--http` it
 * proves it from outside, as a user of the stage does, with the rights of that user and no others. Ends with 0 when all
 * is well, else with 1, so that a deploy can run it as its last step.
 */
import { parseArgs, styleText } from 'node:util'
import { type Check, type Finding, prove } from '../core/canary/check.ts'
import { journey } from '../core/canary/journey.ts'
import type { Who } from '../core/canary/schema.ts'
import { systemClock } from '../core/clock.ts'
import { live } from '../core/live.ts'
import { config } from '../core/stage/config.ts'
import type { UserId } from '../core/user-number/schema.ts'
import { joinStage } from '../infra/local/environment.ts'
import { complain, print, requireNode } from './command.ts'
import { canary } from './doctor/canary.ts'
import { checks } from './doctor/check.ts'
import { isLinked, throughShell } from './stage-shell.ts'
import { userIn } from './user.ts'

const usage = `npm run doctor -- [--stage NAME] [--user ID]
       npm run doctor -- --http ADDRESS --as NAME --page UID
       npm run doctor -- --http ADDRESS --user ID --issuer ISSUER --audience AUDIENCE --page UID
With --http, AI_CHAT_SECRET_CANARY is the password of the user, or the key of the exchange.`

const options = {
  stage: { type: 'string' },
  user: { type: 'string' },
  http: { type: 'string' },
  as: { type: 'string' },
  page: { type: 'string' },
  issuer: { type: 'string' },
  audience: { type: 'string' },
} as const

async function main(): Promise<boolean> {
  // Lines of the log that are no errors do not belong between the findings.
  process.env.POWERTOOLS_LOG_LEVEL ??= 'ERROR'
  const { values } = parseArgs({ options })
  const { stage = 'local', http } = values
  const uid = userIn('user', values.user)
  if (http !== undefined) {
    const { origin } = new URL(http)
    const errand = { who: who(values, uid), page: values.page ?? '' }
    if (errand.page === '')
      throw new Error('--page is missing: the page whose change is asked for and declined.')
    return report('http', origin, journey({ ...errand, origin, ask: fetch, clock: systemClock }))
  }
  if (stage !== 'local' && !isLinked()) return throughShell(stage) === 0
  joinStage()
  if (values.stage !== undefined && config().stage !== stage)
    throw new Error(`This is the stage ${config().stage}, not ${stage}.`)
  const turn = { name: 'canary turn', prove: () => canary(live(), uid ?? 1) }
  return report(config().stage, config().origin, [...checks, turn])
}

/** Who comes in over HTTP. The secret of either way is that of the canary. */
function who(
  { as: username, issuer, audience }: Record<string, string | undefined>,
  uid: UserId | undefined,
): Who {
  if (username) return { username }
  if (uid !== undefined && issuer && audience) return { uid, issuer, audience, key: 'canary' }
  throw new Error(
    'With --http, --as names a user, or --user, --issuer and --audience name one of a CMS elsewhere.',
  )
}

/** Makes the checks and prints each finding; answers whether none failed. */
async function report(title: string, address: string, list: Check[]): Promise<boolean> {
  print(`\n  ${styleText('bold', title)}  ${address}\n`)
  const findings = await prove(list, tell)
  const isGood = findings.every(({ outcome }) => outcome !== 'failed')
  print(isGood ? '\n  All is well.\n' : '\n  Not all is well.\n')
  return isGood
}

const marks: Record<Finding['outcome'], string> = {
  good: styleText('green', 'ok  '),
  failed: styleText('red', 'FAIL'),
  untried: styleText('yellow', '--  '),
}

function tell({ name, outcome, detail, ms }: Finding): void {
  print(`  ${marks[outcome]}  ${name.padEnd(14)} ${detail} ${styleText('dim', `${ms} ms`)}`)
}

requireNode()
main().then(
  (isGood) => process.exit(isGood ? 0 : 1),
  (error: unknown) => {
    complain(`${error instanceof Error ? error.message : error}\nUsage: ${usage}`)
    process.exit(1)
  },
)
