/**
 * `npm run connect:check`: checks a CMS against every rule of the bridge, and prints the failures by capability.
 */
import { statSync } from 'node:fs'
import { watch } from 'node:fs/promises'
import { setTimeout as delay } from 'node:timers/promises'
import { bridge } from '../../core/cms/bridge/bridge.ts'
import { inspect } from '../../core/cms/bridge/hello.ts'
import { checked, type Line } from '../../core/cms/bridge/line.ts'
import { pairingOf } from '../../core/cms/bridge/pairing.ts'
import { CmsFailure } from '../../core/cms/cms.ts'
import { lineOf, readConnection } from '../../infra/local/connection.ts'
import { dataFolder } from '../../infra/local/environment.ts'
import { marks, print, readForOperator, runCommand, text, UsageError } from '../command.ts'
import { userIn } from '../user-argument.ts'
import type { KitUsers, Users } from './kit/bench.ts'
import { type Result, runKit } from './kit/kit-run.ts'
import { numbersHere } from './kit/undoing.ts'

const usage =
  'npm run connect:check -- [<base address> --key <code>] [--user ID] [--limited ID] [--record TYPE:ID] [--only WORDS] [--watch FOLDER]'

const options = { key: text, user: text, limited: text, record: text, only: text, watch: text }

runCommand(usage, { allowPositionals: true, options }, async ({ values, positionals }) => {
  if (positionals.length > 1) throw new UsageError('Name the base address of one CMS.')
  const line = readForOperator(() => lineTo(positionals[0], values.key))
  const users = {
    writer: userIn('user', values.user) ?? 1,
    limited: userIn('limited', values.limited),
    ...(values.record !== undefined && { record: values.record }),
  }
  const check = () => checkCms(line, users, values.only)
  if (values.watch === undefined) return check().catch(tellFailure)
  if (!statSync(values.watch, { throwIfNoEntry: false })?.isDirectory())
    throw new UsageError(`There is no folder ${values.watch}.`)
  for (;;) {
    await check().catch((error: Error) => print(error.message, `  ${marks.failed}  `))
    print(`\n  Waits for a change in ${values.watch}. Ctrl-C ends it.`)
    for await (const _ of watch(values.watch, { recursive: true })) break
    await delay(restartMs)
  }
})

/** Prints a failure of the CMS, and returns the exit code. Throws any other error. */
function tellFailure(error: unknown): number {
  if (!(error instanceof CmsFailure)) throw error
  print(error.message, `  ${marks.failed}  `)
  return 1
}

/** The time that a CMS has to restart after a change of its code, in milliseconds. */
const restartMs = 2_000

/** Runs the checks, and returns the exit code. */
async function checkCms(line: Line, users: Users, only: string | undefined): Promise<number> {
  const { greeting, faults } = await inspect(line)
  for (const fault of faults) print(fault, `  ${marks.failed}  `)
  if (!greeting || faults.length > 0) return 1
  print(`\n  ${greeting.name} ${greeting.version} at ${line.url}\n`)

  const settings = { line, begin: beginCheck, tell, only }
  const { results, lacks, left } = await runKit(bridge(line, numbersHere()), users, settings)
  if (results.length === 0) throw new UsageError(`No check has the words "${only}".`)
  print('')
  for (const [capability, all = []] of Object.entries(Object.groupBy(results, (it) => it.capability))) {
    const tried = all.filter(({ end }) => end !== 'leftOut')
    const kept = tried.filter(({ end }) => end === 'kept')
    const count = tried.length > 0 ? `${kept.length} of ${tried.length}` : 'not tried'
    print(`  ${capability.padEnd(14)} ${count}`)
  }
  if (lacks.length > 0) print(`\n  Not there: ${lacks.join(', ')}`)
  for (const { table, uid } of left) print(`  Could not be removed: ${table} ${uid}`)
  // Without `remove` in the CMS, the stage cannot remove the records of the checks.
  const mayLeave = left.length === 0 || lacks.includes('remove')
  return mayLeave && results.every(({ end }) => end !== 'broken') ? 0 : 1
}

const marksOf = { kept: marks.good, broken: marks.failed, leftOut: marks.untried } as const

/** Returns the connection to the named CMS, or to the CMS that this stage is paired with. */
function lineTo(url: string | undefined, code: string | undefined): Line {
  const connection = readConnection(dataFolder())
  if (url === undefined && code !== undefined) throw new UsageError('--key needs a base address.')
  if (url === undefined || (code === undefined && connection?.url === url)) {
    if (!connection) throw new UsageError('This stage is connected to no CMS; name an address and a code.')
    return lineOf(connection)
  }
  if (!URL.canParse(url)) throw new UsageError(`${url} is no address.`)
  const pairing = pairingOf(code ?? '')
  if (!pairing) throw new UsageError('--key has to be a pairing code.')
  return checked({ url, keyId: pairing.keyId, secret: pairing.bridgeKey })
}

function beginCheck({ writer, limited, disabled }: KitUsers): void {
  const passed = disabled.length > 0 ? `; passed over, since disabled: ${disabled.join(', ')}` : ''
  print(`  Writes as   ${writer.username}${writer.isAdmin ? ', an administrator' : ''}`)
  print(`  Limited as  ${limited?.username ?? 'none: no sentence about fewer rights is tried'}${passed}\n`)
}

function tell({ name, capability, end, why }: Result): void {
  print(`${capability}: ${name}${why === undefined ? '' : `\n        ${why}`}`, `  ${marksOf[end]}  `)
}
