import { randomUUID } from 'node:crypto'
import { ServiceQuotasClient } from '@aws-sdk/client-service-quotas'
import { indexes as byName } from '../../core/base/aws/indexes.ts'
import * as Table from '../../core/base/aws/table.ts'
import { config, secret } from '../../core/base/config.ts'
import { inspect } from '../../core/cms/bridge/hello.ts'
import * as Queue from '../../core/conversation/queue.ts'
import * as Store from '../../core/file/store.ts'
import { live } from '../../core/live.ts'
import { brokenLinks, load, type Resolved, resolve } from '../../core/stage/settings/settings.ts'
import * as Usage from '../../core/stage/usage/usage.ts'
import { listingOf } from '../../core/tool/remote/listing.ts'
import { concerns, seenServers } from '../../core/tool/remote/review.ts'
import * as Token from '../../core/user/session/token.ts'
import type { Check } from '../../core/watch/canary/proof.ts'
import { otherPort, readConnection } from '../../infra/local/connection.ts'
import { dataFolder } from '../../infra/local/environment.ts'
import { alarms, askTopics, describePrices, quotas, refuseEnds } from './account.ts'
import { resourceChecks } from './resources.ts'

/**
 * The largest allowed difference between the clocks of this machine and of the stage, in milliseconds. Signatures allow
 * 5 minutes.
 */
const skewMs = 10_000
const modelTimeoutMs = 60_000

/** The checks of everything that a turn needs, from the configuration to the turn itself. */
export const checks: Check[] = [
  { name: 'configuration', prove: configuration },
  { name: 'secret', prove: secrets },
  { name: 'table', prove: checkTable },
  { name: 'queue', prove: async () => `${(await Queue.depth()).waiting} waiting` },
  { name: 'dead letters', prove: deadLetters },
  { name: 'bucket', prove: bucket },
  { name: 'CMS', prove: cms },
  { name: 'gateway', prove: gateway },
  { name: 'clock', prove: clock },
  { name: 'model', prove: model },
  { name: 'prices', prove: async () => describePrices(await load(Date.now())) },
  { name: 'model end', prove: async () => refuseEnds(await load(Date.now()), Date.now()) },
  { name: 'tool servers', prove: servers },
  { name: 'tokens today', prove: tokens },
  { name: 'alarms', prove: () => askTopics(config().alarms, alarms) },
  {
    name: 'model quota',
    prove: async () => quotas(new ServiceQuotasClient({ region: config().region }), await load(Date.now())),
  },
  ...resourceChecks,
]

/** Returns the name of the CMS. Throws with every fault of the connection to an external CMS. */
async function cms(): Promise<string> {
  const elsewhere = config().cms
  const known = elsewhere && (await inspect({ ...elsewhere, secret: secret('cms') ?? '' }))
  const paired = config().isLocal ? readConnection(dataFolder()) : undefined
  const astray = paired?.url === elsewhere?.url && paired && otherPort(paired, config().origin)
  const faults = [...(known?.faults ?? []), ...(astray ? [astray] : [])]
  if (faults.length > 0) throw new Error(faults.join(' '))
  const name = known?.greeting ? `${known.greeting.name} ${known.greeting.version}, ` : ''
  return `${name}${(await live().cms.languages()).length} languages`
}

async function resolved(): Promise<Resolved> {
  const { resolved, missing } = resolve(await load(Date.now()), { groups: [], isAdmin: true })
  if (missing !== undefined) throw new Error(missing)
  return resolved
}

async function configuration(): Promise<string> {
  const broken = brokenLinks(await load(Date.now()))
  if (broken.length > 0) throw new Error(broken.join(' '))
  const { task, configuration, model, provider } = await resolved()
  return `${task.name}, ${configuration.name}, ${model.modelId} of ${provider.name}`
}

async function servers(): Promise<string> {
  const { mcpServers } = await load(Date.now())
  if (mcpServers.length === 0) return 'none'
  const asker = { uid: 0, isLocal: config().isLocal, now: Date.now() }
  await Promise.all(mcpServers.map((server) => listingOf(server, asker, true)))
  const found = concerns(mcpServers, await seenServers(), 'en')
  if (found.length > 0) throw new Error(found.join(' '))
  return mcpServers.map(({ name }) => name).join(', ')
}

async function tokens(): Promise<string> {
  const now = Date.now()
  const { dailyTokens } = await load(now)
  const used = await Usage.ofStage(now)
  if (dailyTokens === null) return `${used}, no limit of the stage`
  const share = `${used} of ${dailyTokens}, ${Math.floor((100 * used) / dailyTokens)} %`
  if (used >= dailyTokens) throw new Error(`${share}: no turn starts before midnight UTC`)
  return share
}

async function secrets(): Promise<string> {
  const name = { uid: 1, sid: randomUUID().replaceAll('-', '') }
  const verified = Token.verify(Token.sign(name))
  if (verified?.sid !== name.sid) throw new Error('A token that was just signed does not verify')
  const { provider } = await resolved()
  const { exchange } = await load(Date.now())
  const wanted = [provider.secret, exchange?.key].filter((it) => it != null)
  const missing = wanted.filter((it) => !secret(it))
  if (missing.length > 0) throw new Error(`Not set: ${missing.join(', ')}`)
  return ['signs and verifies', ...wanted.map((it) => `${it} is set`)].join(', ')
}

async function checkTable(): Promise<string> {
  const key = { pk: `doctor#${randomUUID()}`, sk: 'doctor' }
  await Table.put({ ...key, expires_at: Math.ceil(Date.now() / 1000) + 60 })
  const stored = await Table.get(key)
  await Table.remove(key)
  if (!stored) throw new Error('What was just put is not there')
  const indexes = Object.values(byName)
  for (const { name, pk } of indexes)
    await Table.query({
      IndexName: name,
      Limit: 1,
      KeyConditionExpression: '#pk = :pk',
      ExpressionAttributeNames: { '#pk': pk },
      ExpressionAttributeValues: { ':pk': key.pk },
    })
  return `${config().table}, writes, reads, ${indexes.length} indexes`
}

async function deadLetters(): Promise<string> {
  const { dead } = await Queue.depth()
  if (dead === undefined) throw new Error('There is no dead-letter queue')
  if (dead > 0) throw new Error(`${dead} turns lie there; see the runbook, "Dead letters"`)
  return 'none'
}

async function bucket(): Promise<string> {
  const key = `pending/doctor/${randomUUID()}`
  await Store.put(key, 'doctor', { contentType: 'text/plain' })
  const stored = await Store.get(key)
  await Store.remove(key)
  if (stored?.bytes.length !== 6) throw new Error('What was just put is not there')
  return `${config().bucket}, writes, reads, removes`
}

/** Returns the origin of the gateway. Its request has no session: a working gateway refuses it by the contract. */
async function gateway(): Promise<string> {
  const response = await ask()
  const body = (await response.json()) as { error?: { code?: string } }
  if (response.status !== 401 || body.error?.code !== 'session.missing')
    throw new Error(`${config().origin} answered ${response.status} where it should refuse`)
  return config().origin
}

async function clock(): Promise<string> {
  const before = Date.now()
  const served = Date.parse((await ask()).headers.get('date') ?? '')
  if (Number.isNaN(served)) throw new Error('The stage does not tell the time')
  // The Date header has only whole seconds.
  const skew = Math.max(0, Math.abs(served + 500 - (before + Date.now()) / 2) - 500)
  if (skew > skewMs) throw new Error(`${Math.round(skew / 1000)} s off the stage's`)
  return `within ${Math.ceil(skew / 1000) || 1} s of the stage's`
}

const ask = () =>
  fetch(`${config().origin}/ai-chat/status`, { signal: AbortSignal.timeout(15_000), redirect: 'manual' })

async function model(): Promise<string> {
  const asked = await live().model(await resolved())
  const answer = await asked.ask(
    {
      system: [{ text: 'You are asked by a check of the service. Answer with one word.' }],
      messages: [{ role: 'user', content: [{ type: 'text', text: 'Are you there?' }] }],
      tools: [],
      toolChoice: 'auto',
      maxTokens: 256,
    },
    AbortSignal.timeout(modelTimeoutMs),
  )
  const { model, isAI } = asked.about
  if (answer.standIn)
    throw new Error(`${model} did not answer, ${answer.standIn.model} did in its place; the log says why`)
  return `${model} answered, ${answer.usage.input} tokens in, ${answer.usage.output} out${isAI ? '' : ', no AI'}`
}
