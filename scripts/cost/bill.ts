import { readFileSync } from 'node:fs'
import * as z from 'zod'
import type { Assumptions } from './assumption.ts'
import { hoursPerMonth, minutesPerMonth, price } from './price.ts'

/** One item of a bill, in US dollars. */
export type Item = { what: string; dollars: number }
const item = (what: string, dollars: number): Item => ({ what, dollars })

/** Returns the sum of a bill, in US dollars. */
export const total = (items: Item[]): number => items.reduce((sum, { dollars }) => sum + dollars, 0)

const run = (megabytes: number, ms: number) =>
  price.invocation + (megabytes / 1024) * (ms / 1000) * price.gigabyteSecond

/** The cost of one request that goes through the CDN and the gateway to a function. */
const request = (megabytes: number, ms: number) =>
  price.cdnRequest + 2 * price.edgeRun + price.apiRequest + run(megabytes, ms)

const gigabytes = (kilobytes: number) => kilobytes / 1024 ** 2

/** Returns the cost of one turn, from the message until the browser has the answer. */
export function priceTurn(it: Assumptions, units: Measured): Item[] {
  const polls = Math.ceil((it.turnSeconds * 1000) / it.pollMs)
  const poll = request(it.webMegabytes, it.pollFunctionMs) + units.pollReads * price.readUnit
  const looks = it.listsPerTurn + it.statusPerTurn
  const look = request(it.webMegabytes, it.listFunctionMs) + it.listReadUnits * price.readUnit
  const rounds = it.toolRounds + 1
  // Each message of the queue costs three requests: send, receive and delete.
  const send =
    request(it.webMegabytes, it.sendFunctionMs) + units.sendWrites * price.writeUnit + 3 * price.queueRequest
  const kept = it.keptMonths * (price.tableGigabyte + price.backupGigabyte)
  return [
    item('send: request, function, rows, queue', send),
    item(`polls: ${polls} requests with their reads`, polls * poll),
    item(`lists and status: ${looks} requests with their reads`, looks * look),
    item('process: the function while it waits', run(it.processMegabytes, it.turnSeconds * 1000)),
    item(`process: rows of ${rounds} rounds`, rounds * units.roundWrites * price.writeUnit),
    item('logs', gigabytes(it.logKilobytes) * price.logGigabyte),
    item('kept: table and backup', gigabytes(it.turnKilobytes) * kept),
  ]
}

/** Returns the dollars for tokens at the prices of the model. */
const priceTokens = ({ inputPrice, outputPrice }: Assumptions, input: number, output: number) =>
  (input * inputPrice + output * outputPrice) / 1e6

/** Returns the cost of the model provider for one turn. */
export function tokens(it: Assumptions): Item {
  const dollars = priceTokens(it, it.inputTokens, it.outputTokens)
  return item(`model: ${it.inputTokens} tokens in, ${it.outputTokens} out`, dollars)
}

/** Returns the monthly cost of a stage without users. */
export function idle(it: Assumptions): Item[] {
  const monthly = (dollars: number) => minutesPerMonth * dollars
  return [
    item(
      'cleanup: schedule and function, every minute',
      monthly(price.schedule + run(it.cleanupMegabytes, it.cleanupMs)),
    ),
    item('cleanup: looks into the indexes', monthly(it.cleanupReadUnits * price.readUnit)),
    item('cleanup: its log', monthly(gigabytes(it.cleanupLogKilobytes) * price.logGigabyte)),
    item('queue: long polls of an empty queue', monthly(it.pollersPerMinute * price.queueRequest)),
    item(`alarms: ${it.alarms} metrics`, it.alarms * price.alarm),
    item(`dashboards: ${it.dashboards}`, it.dashboards * price.dashboard),
  ]
}

/**
 * Returns the monthly cost of a stage in use, without the turns of its users. A metric costs nothing until it has a
 * value, and without a canary its visits cost nothing.
 */
export function inUse(it: Assumptions): Item[] {
  const visit = priceTokens(it, it.canaryInputTokens, it.canaryOutputTokens)
  return [
    item(`metrics: ${it.metrics}`, it.metrics * price.metric),
    item(`canary: ${Math.round(it.canaryVisits)} visits that ask the model`, it.canaryVisits * visit),
  ]
}

/**
 * Returns the monthly cost of a worker that replaces the process function: one task, which costs the same without
 * users.
 */
export function workerTask(cpu: number, memoryGigabytes: number): Item {
  const hour = cpu * price.processorHour + memoryGigabytes * price.gigabyteHour + price.addressHour
  return item(`worker: a task of ${cpu} processors and ${memoryGigabytes} GB`, hour * hoursPerMonth)
}

const Row = z.object({ what: z.string(), value: z.number(), unit: z.string() })
const Results = z.object({ sections: z.object({ units: z.object({ rows: z.array(Row) }) }) })

/** The table units of each operation, as `npm run bench` measured them. */
type Measured = ReturnType<typeof measured>

/** Returns the units of the last measurement. Throws if one of them was not measured. */
export function measured() {
  const file = new URL('../../test/bench/results.json', import.meta.url)
  const { rows } = Results.parse(JSON.parse(readFileSync(file, 'utf8'))).sections.units
  const units = (what: string, unit: string) => {
    const row = rows.find((it) => it.what === what && it.unit === unit)
    if (!row) throw new Error(`test/bench/results.json does not say what "${what}" takes in ${unit}`)
    return row.value
  }
  return {
    pollReads: units('fast poll', 'read units'),
    sendWrites: units('send', 'write units'),
    roundWrites: units('round with one tool', 'write units'),
  }
}
