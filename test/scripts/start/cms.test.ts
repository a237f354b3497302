import { expect, test } from 'vitest'
import type { Inspected } from '../../../core/cms/bridge/hello.ts'
import { untilWell } from '../../../scripts/start/cms.ts'

const greeting = { base: '', time: 0, keyId: '', name: 'Atelier', version: '2', protocols: [2] }
const well: Inspected = { greeting, faults: [] }
const down: Inspected = { greeting: undefined, faults: ['It cannot be reached.'] }
const late: Inspected = { greeting, faults: ['Its clock is late.'] }

/** What a person reads, one look after the other, until nothing is wrong. */
async function toldOf(first: Inspected, ...looks: Inspected[]): Promise<string[]> {
  const told: string[] = []
  const tell = (text: string) => void told.push(text)
  const look = async () => looks.shift() ?? well
  await untilWell(first, look, { print: tell, complain: tell, pause: async () => {} })
  return told
}

test('a CMS that is well is no word worth', async () => {
  expect(await toldOf(well)).toEqual([])
})

test('a CMS that is down is named once, again when something else is wrong, and when it answers', async () => {
  expect(await toldOf(down, down, late, well)).toEqual([
    'It cannot be reached.',
    'The chat starts all the same, asks the CMS at each request, and goes on when it answers.',
    'Its clock is late.',
    'The CMS answers now: Atelier 2.',
  ])
})
