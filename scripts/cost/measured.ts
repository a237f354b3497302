import { readFileSync } from 'node:fs'
import * as z from 'zod'

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
