/**
 * `npm run doctor`: proves that a stage works, from its table to one turn, and prints what it found. Ends with 0 when
 * all is well, else with 1, so that a deploy can run it as its last step.
 */
import { parseArgs, styleText } from 'node:util'
import { live } from '../core/live.ts'
import { config } from '../core/stage/config.ts'
import { joinStage } from '../infra/local/environment.ts'
import { complain, print, requireNode, whole } from './command.ts'
import { canary } from './doctor/canary.ts'
import { checks, type Finding, prove } from './doctor/check.ts'
import { isLinked, throughShell } from './stage-shell.ts'

const usage = 'npm run doctor -- [--stage NAME] [--user UID]'

async function main(): Promise<boolean> {
  const { values } = parseArgs({ options: { stage: { type: 'string' }, user: { type: 'string' } } })
  const { stage = 'local' } = values
  const uid = whole('user', values.user, 1) ?? 1
  if (stage !== 'local' && !isLinked()) return throughShell(stage) === 0
  joinStage()
  if (values.stage !== undefined && config().stage !== stage)
    throw new Error(`This is the stage ${config().stage}, not ${stage}.`)

  print(`\n  ${styleText('bold', config().stage)}  ${config().origin}\n`)
  const isGood = await prove([...checks, { name: 'canary turn', prove: () => canary(live(), uid) }], tell)
  print(isGood ? '\n  All is well.\n' : '\n  Not all is well.\n')
  return isGood
}

function tell({ name, isGood, told, ms }: Finding): void {
  const mark = isGood ? styleText('green', 'ok  ') : styleText('red', 'FAIL')
  print(`  ${mark}  ${name.padEnd(14)} ${told} ${styleText('dim', `${ms} ms`)}`)
}

requireNode()
main().then(
  (isGood) => process.exit(isGood ? 0 : 1),
  (error: unknown) => {
    complain(`${error instanceof Error ? error.message : error}\nUsage: ${usage}`)
    process.exit(1)
  },
)
