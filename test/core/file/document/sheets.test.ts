import { expect, test } from 'vitest'
import { limits, nextOf } from '../../../../core/file/document/excerpt.ts'
import type { Extraction } from '../../../../core/file/document/schema.ts'
import { readSheets } from '../../../../core/file/document/sheets.ts'
import { capTokens } from '../../../../core/model/estimate.ts'

const rows = Array.from({ length: 8 }, (_, at) => [`row ${at + 1}`, 'lamp '.repeat(300), `end ${at + 1}`])
const sheet = { name: 'Lamps', isHidden: false, rows }
const ends = ({ text }: Pick<Extraction, 'text'>) => text.match(/end \d/g)
const all = rows.map(([, , end]) => end)

test('every row is in one of the parts as a whole, however long it is', async () => {
  const read: (string[] | null)[] = []
  for (let from: number | undefined = 1; from !== undefined; ) {
    const part = await readSheets([sheet], { ...limits, from, characters: 4_400 })
    read.push(ends(part))
    from = part.extent ? nextOf(part.extent) : undefined
  }

  expect(read.flat()).toEqual(all)
})

test('a part that is cut for the room of a request ends with a whole row', async () => {
  const whole = await readSheets([sheet], limits)
  const { text, extent } = capTokens(whole, 1_200)

  expect([ends({ text }), extent?.to]).toEqual([all.slice(0, extent?.to), 2])
})
