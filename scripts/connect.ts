/**
 * `npm run connect`: pairs a stage and a CMS by one pairing code. For the local stage, the command stores the stage's
 * side in its data folder. For a deployed stage it stores nothing, and prints the commands and the lines of the
 * settings. `--check` asks the CMS for its view of the connection.
 */

import { mkdir } from 'node:fs/promises'
import { resolve } from 'node:path'
import { styleText } from 'node:util'
import { own } from '../core/base/json.ts'
import { secretName } from '../core/base/secret-name.ts'
import { inspect } from '../core/cms/bridge/hello.ts'
import { checked } from '../core/cms/bridge/line.ts'
import { newCode } from '../core/cms/bridge/pairing.ts'
import * as Local from '../infra/local/connection.ts'
import { shown } from '../infra/local/damage.ts'
import { dataFolder, running } from '../infra/local/environment.ts'
import {
  flag,
  marks,
  print,
  readForOperator,
  refuseIdle,
  runCommand,
  text,
  UsageError,
  writeNamed,
} from './command.ts'
import * as Package from './connect/package.ts'

const usage =
  'npm run connect -- [wordpress | payload | node] <base address> [--origin <origin of the stage>] [--groups a,b] [--file FILE] [--new] | new FOLDER [--php] | --check'

/**
 * A CMS that has a plugin: how to build its file, the path of the bridge below the site's address, and the person's
 * steps.
 */
type Known = {
  file: string
  pack(file: string): Promise<void>
  path: string
  steps(file: string, code: string): string[]
}
const secret = 'paste this code. It is a secret.'
const knownCms: Record<string, Known> = {
  wordpress: {
    file: 'backend-ai-chat.zip',
    pack: Package.packPlugin,
    path: '/wp-json',
    steps: (file, code) => [
      `In WordPress: Plugins, Add New, Upload Plugin: ${file}; activate it.`,
      `Settings, AI Chat: ${secret}\n\n     ${code}\n`,
    ],
  },
  payload: {
    file: 'backend-ai-chat-payload.tgz',
    pack: Package.packPayload,
    path: '/api',
    steps: (file, code) => [
      `In the folder of the site: npm install ${file}`,
      "In its configuration: import { aiChat } from 'backend-ai-chat-payload', and plugins: [aiChat({ code: process.env.AI_CHAT_CODE })].",
      `In its environment (.env): ${secret}\n\n     AI_CHAT_CODE=${code}\n`,
      'In the folder of the site: npx payload generate:importmap; then start it again.',
    ],
  },
  node: {
    file: 'backend-ai-chat-node.tgz',
    pack: Package.packNode,
    path: '',
    steps: (file, code) => [
      `In the folder of your CMS: npm install ${file}`,
      "In its code: import { connect } from 'backend-ai-chat-node'. packages/node/README.md has the functions to write.",
      `In its environment: ${secret}\n\n     CODE=${code}\n`,
    ],
  },
}
const loopback = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

const options = { origin: text, groups: text, file: text, new: flag, check: flag, php: flag }

runCommand(usage, { allowPositionals: true, options }, async ({ values, positionals }) => {
  const folder = dataFolder()
  const kept = readForOperator(() => Local.readConnection(folder))
  const [named, ...rest] = positionals
  if (values.check) {
    refuseIdle(values, ['check'], '--check')
    if (named !== undefined)
      throw new UsageError('--check takes no address: it checks the stored connection.')
    return checkConnection(kept, running(folder)?.origin)
  }
  if (named === 'new') {
    refuseIdle(values, ['php'], 'new')
    return makeSkeleton(rest, folder, values.php ? 'php' : 'node')
  }
  return pair(values, positionals, folder, kept)
})

/** Pairs the stage and the CMS of the call, and prints the steps for a person; returns the exit code. */
async function pair(
  values: { origin?: string; groups?: string; file?: string; new: boolean },
  positionals: string[],
  folder: string,
  kept: Local.Connection | undefined,
): Promise<number> {
  const [named, ...rest] = positionals
  const cms = own(knownCms, named ?? '')
  const [given, ...more] = cms ? rest : positionals
  if (!cms && more.length > 0) throw new UsageError(`${given} is not wordpress, payload or node.`)
  if (!given || more.length > 0) throw new UsageError('Name the base address of one CMS.')
  refuseIdle(values, ['origin', 'groups', 'new', ...(cms ? ['file'] : [])], 'an address alone')
  const url = address(given, cms?.path)
  const origin = stageOrigin(values.origin, folder)
  const isLocal = loopback.test(new URL(origin).hostname)
  const groups = groupsOf(values.groups)
  const isSame = kept?.url === url && Local.pairingIn(kept).origin === origin && !values.new
  const code = isLocal && isSame ? kept.code : newCode(origin)
  const connection: Local.Connection = { url, code, groups: groups ?? (isSame ? kept.groups : []) }
  const file = resolve(values.file ?? `${folder}/${cms?.file}`)
  // The file goes into the data folder, which only its owner may read.
  if (cms) await mkdir(folder, { recursive: true, mode: 0o700 })
  if (cms) await writeNamed(file, cms.pack(file))
  if (isLocal) await Local.keepConnection(folder, connection)

  print(`${origin}  ${url}\n`, `\n  ${styleText('bold', 'Connect')}  `)
  const steps = [
    ...(isLocal
      ? [`The stage has its side in ${shown(Local.connectionFile(folder))}. Start it again: npm start`]
      : deployed(connection)),
    ...(cms?.steps(shown(file), code) ?? [
      `Settings of your plugin: ${secret} Signatures contain the base address ${url}.\n\n     ${code}\n`,
    ]),
    isLocal
      ? 'Check the line: npm run connect -- --check'
      : 'Check the line: npm run doctor -- --stage <stage>',
  ]
  return printSteps(steps)
}

/** Prints the steps for a person; returns the exit code. */
function printSteps(steps: string[]): number {
  for (const [at, step] of steps.entries()) print(`  ${at + 1}. ${step}`)
  print('')
  return 0
}

/** Creates a small CMS in a new folder, and pairs the local stage with it. */
async function makeSkeleton(
  [target, ...more]: string[],
  folder: string,
  language: 'node' | 'php',
): Promise<number> {
  if (!target || more.length > 0) throw new UsageError('Name one folder.')
  const code = newCode(stageOrigin(undefined, folder))
  const { start, file, url } = await writeNamed(
    target,
    Package.writeSkeleton(resolve(target), code, language),
  )
  await Local.keepConnection(folder, { url, code, groups: ['editor'] })
  const steps = [
    `Start the CMS: cd ${target} && ${start}`,
    'Start the stage again, in this folder: npm start',
    `Open ${url}/edit, log in, and open the chat.`,
    `Check it: npm run connect:check. Then replace what ${target}/${file} keeps by your own CMS.`,
  ]
  return printSteps(steps)
}

/** Returns the steps for a deployed stage, because this machine does not keep the stage's secrets. */
function deployed(connection: Local.Connection): string[] {
  const { keyId, bridgeKey, exchangeKey } = Local.pairingIn(connection)
  const indented = (value: object) => JSON.stringify(value, null, 2).replaceAll('\n', '\n     ')
  return [
    `Set the secrets of the stage:\n     npx sst secret set ${secretName('cms')} ${bridgeKey} --stage <stage>\n     npx sst secret set ${secretName(Local.exchangeSecret)} ${exchangeKey} --stage <stage>`,
    `In infra/deployments/<stage>.json:\n     ${indented({ cms: { url: connection.url, key: keyId } })}`,
    `In infra/stages/<stage>.json:\n     ${indented(Local.settingsOf(connection))}`,
    'Deploy it: npx sst deploy --stage <stage>',
  ]
}

/** Prints the problems of the connection. If a stage runs at `origin`, prints the problems of its code too. */
async function checkConnection(
  connection: Local.Connection | undefined,
  origin: string | undefined,
): Promise<number> {
  if (!connection) throw new UsageError('This stage is connected to no CMS.')
  const { greeting, faults: found } = await inspect(Local.lineOf(connection))
  const astray = origin && Local.otherPort(connection, origin)
  const faults = astray ? [...found, astray] : found
  if (greeting) print(`  ${greeting.name} ${greeting.version} answers at ${connection.url}`)
  for (const fault of faults) print(fault, `  ${marks.failed}  `)
  if (faults.length === 0) print('address, clock, key and signature are right', `  ${marks.good}  `)
  return faults.length === 0 ? 0 : 1
}

/** Returns the base address of the bridge. For a CMS with a known bridge path, the address of the site is enough. */
function address(given: string, path = ''): string {
  if (!URL.canParse(given)) throw new UsageError(`${given} is no address.`)
  const bare = given.replace(/\/+$/, '')
  const url = bare.endsWith(path) ? bare : `${bare}${path}`
  return readForOperator(() => checked({ url, keyId: '', secret: '' }).url)
}

function stageOrigin(given: string | undefined, folder: string): string {
  const origin = given ?? running(folder)?.origin ?? `http://127.0.0.1:${process.env.PORT || 3000}`
  if (/^https?:/.test(origin) && URL.canParse(origin) && new URL(origin).origin === origin) return origin
  throw new UsageError(`${origin} is no origin: http or https, host and port, without a slash at its end.`)
}

function groupsOf(given: string | undefined): Local.Connection['groups'] | undefined {
  const names = given?.split(',').map((name) => name.trim())
  return names?.filter(Boolean).map((name) => (/^\d{1,9}$/.test(name) ? Number(name) : name))
}
