import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { all, damages, makeScene, placed, type Scene } from '../../../support/damage.ts'
import { type Bench, startBench } from '../../../support/live.ts'
import { files } from '../../../support/source.ts'

/** Each attribute of each stored noun damaged in every way, and items of a later release. */

let bench: Bench
let scene: Scene

beforeAll(async () => {
  bench = await startBench({ dailyTokensPerUser: 1_000_000, retainRunDays: null })
  scene = await makeScene(bench)
})
afterAll(() => bench.stop())

test('every noun that core declares is in the table, with a row in the scene', () => {
  const root = fileURLToPath(new URL('../../../../', import.meta.url))
  const declared = files(root, ['core']).flatMap((path) =>
    [...readFileSync(join(root, path), 'utf8').matchAll(/= item\('([a-z ]+)', \d+,/g)].map(
      ([, noun]) => noun,
    ),
  )
  expect(all.map(({ codec }) => codec.noun).toSorted()).toEqual(declared.toSorted())
  expect(all.filter(({ sk }) => placed(scene, sk).length === 0).map(({ codec }) => codec.noun)).toEqual([])
})

const cases = all.flatMap(({ codec, sk }) =>
  Object.values(codec.fields).flatMap(({ attribute, isRequired }) =>
    damages.map(([how, of]) => ({ codec, sk, attribute, isRequired, how, of, noun: codec.noun })),
  ),
)

describe('reading', () => {
  test.each(cases)(
    '$noun with $attribute $how: the rest is as it was',
    ({ codec, sk, attribute, of, how, isRequired }) => {
      for (const row of placed(scene, sk)) {
        const whole = codec.read(row)
        const { value, unread } = codec.read(of(row, attribute))
        const others = ([name]: [string, unknown]) => codec.fields[name]?.attribute !== attribute
        expect(Object.entries(value).filter(others)).toEqual(Object.entries(whole.value).filter(others))
        if (how !== 'missing' || isRequired)
          expect(Object.keys(unread).filter((name) => name !== 'messages')).toEqual(
            attribute === 'messages' ? [] : [attribute],
          )
        else expect(unread).toEqual({})
      }
    },
  )

  test.each(all.map(({ codec, sk }) => ({ codec, sk, noun: codec.noun })))(
    '$noun of a later release reads as this one knows it, and carries a number',
    ({ codec, sk }) => {
      for (const row of placed(scene, sk)) {
        const later = { ...row, schema: codec.schema + 1, later: { a: 1 }, more: null }
        expect(codec.read(later)).toEqual(codec.read(row))
        expect(codec.read(row).unread).toEqual({})
        expect(row.schema).toBe(1)
      }
    },
  )
})
