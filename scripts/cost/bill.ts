import { readFileSync } from 'node:fs'
import * as z from 'zod'
import type { Assumptions } from './assumption.ts'
import { hoursPerMonth, minutesPerMonth, price } from './price.ts'

/** A line of a bill, in US dollars. */
export type Item = { what: string; dollars: number }

/** The sum of a bill. */
export const total = (items: Item[]): number => items.reduce((sum, { dollars }) => sum + dollars, 0)

const run = (megabytes: number, ms: number) =>
  price.invocation + (megabytes / 1024) * (ms / 1000) * price.gigabyteSecond

/** A request that goes all the way: past the CDN, through the gateway, into a function. */
const request = (megabytes: number, ms: number) =>
  price.cdnRequest + 2 * price.edgeRun + price.apiRequest + run(megabytes, ms)

const gigabytes = (kilobytes: number) => kilobytes / 1024 ** 2

/** The cost of one turn, from the message until the browser has the answer. */
export function priceTurn(it: Assumptions, units: Measured): Item[] {
  const polls = Math.ceil((it.turnSeconds * 1000) / it.pollMs)
  const rounds = it.toolRounds + 1
  return [
    {
      what: 'send: request, function, rows, queue',
      dollars:
        request(it.webMegabytes, it.sendFunctionMs) +
        units.sendWrites * price.writeUnit +
        // Sent, received, removed.
        3 * price.queueRequest,
    },
    {
      what: `polls: ${polls} requests with their reads`,
      dollars: polls * (request(it.webMegabytes, it.pollFunctionMs) + units.pollReads * price.readUnit),
    },
    {
      what: `lists and status: ${it.listsPerTurn + it.statusPerTurn} requests with their reads`,
      dollars:
        (it.listsPerTurn + it.statusPerTurn) *
        (request(it.webMegabytes, it.listFunctionMs) + it.listReadUnits * price.readUnit),
    },
    {
      what: 'process: the function while it waits',
      dollars: run(it.processMegabytes, it.turnSeconds * 1000),
    },
    { what: `process: rows of ${rounds} rounds`, dollars: rounds * units.roundWrites * price.writeUnit },
    { what: 'logs', dollars: gigabytes(it.logKilobytes) * price.logGigabyte },
    {
      what: 'kept: table and backup',
      dollars: gigabytes(it.turnKilobytes) * it.keptMonths * (price.tableGigabyte + price.backupGigabyte),
    },
  ]
}

/** The cost of the model provider for one turn. */
export function tokens(it: Assumptions): Item {
  return {
    what: `model: ${it.inputTokens} tokens in, ${it.outputTokens} out`,
    dollars: (it.inputTokens * it.inputPrice + it.outputTokens * it.outputPrice) / 1e6,
  }
}

/** The monthly cost of a stage without users. */
export function idle(it: Assumptions): Item[] {
  return [
    {
      what: 'cleanup: schedule and function, every minute',
      dollars: minutesPerMonth * (price.schedule + run(it.cleanupMegabytes, it.cleanupMs)),
    },
    {
      what: 'cleanup: looks into the indexes',
      dollars: minutesPerMonth * it.cleanupReadUnits * price.readUnit,
    },
    {
      what: 'cleanup: its log',
      dollars: gigabytes(minutesPerMonth * it.cleanupLogKilobytes) * price.logGigabyte,
    },
    {
      what: 'queue: long polls of an empty queue',
      dollars: minutesPerMonth * it.pollersPerMinute * price.queueRequest,
    },
    { what: `alarms: ${it.alarms}`, dollars: it.alarms * price.alarm },
    { what: `dashboards: ${it.dashboards}`, dollars: it.dashboards * price.dashboard },
  ]
}

/** The monthly cost of a stage in use beside its turns: a metric costs nothing while it counts nothing. */
export function inUse(it: Assumptions): Item[] {
  return [{ what: `metrics: ${it.metrics}`, dollars: it.metrics * price.metric }]
}

/** The monthly cost of the model that the canary asks; none without a canary. */
export function canary(it: Assumptions): Item {
  const visit = (it.canaryInputTokens * it.inputPrice + it.canaryOutputTokens * it.outputPrice) / 1e6
  return {
    what: `canary: ${Math.round(it.canaryVisits)} visits that ask the model`,
    dollars: it.canaryVisits * visit,
  }
}

/** The monthly cost of a worker in place of the process function: one task, with or without users. */
export function workerTask(cpu: number, memoryGigabytes: number): Item {
  const hour = cpu * price.processorHour + memoryGigabytes * price.gigabyteHour + price.addressHour
  return {
    what: `worker: a task of ${cpu} processors and ${memoryGigabytes} GB`,
    dollars: hour * hoursPerMonth,
  }
}

const Results = z.object({
  sections: z.object({
    units: z.object({
      rows: z.array(z.object({ what: z.string(), value: z.number(), unit: z.string() })),
    }),
  }),
})

/** The table units of each operation, as `npm run bench` measured them. */
export type Measured = { pollReads: number; sendWrites: number; roundWrites: number }

/** The units of the last measurement. Throws when one of them was not measured. */
export function measured(): Measured {
  const file = new URL('../bench/results.json', import.meta.url)
  const { rows } = Results.parse(JSON.parse(readFileSync(file, 'utf8'))).sections.units
  const units = (what: string, unit: string) => {
    const row = rows.find((it) => it.what === what && it.unit === unit)
    if (!row) throw new Error(`scripts/bench/results.json does not say what "${what}" takes in ${unit}`)
    return row.value
  }
  return {
    pollReads: units('fast poll', 'read units'),
    sendWrites: units('send', 'write units'),
    roundWrites: units('round with one tool', 'write units'),
  }
}
