import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'

/** Licences that allow use in a closed product, under conditions that a deployment keeps. */
const allowed = new Set([
  ...['MIT', 'MIT-0', 'ISC', 'Apache-2.0', 'BSD', 'BSD-2-Clause', 'BSD-3-Clause', '0BSD'],
  ...['BlueOak-1.0.0', 'Unlicense', 'Zlib'],
])

/** libvips is loaded as a library of its own, which anybody may replace: the condition of its licence. */
const replaceable = /^node_modules\/@img\/sharp-/

type Entry = { dev?: boolean; devOptional?: boolean; link?: boolean; license?: string }

/** True for an SPDX expression with an alternative of which every part is allowed. */
const isAllowed = (expression: string, also: string[]) =>
  expression
    .replace(/[()]/g, '')
    .split(' OR ')
    .some((all) => all.split(' AND ').every((one) => allowed.has(one) || also.includes(one)))

test.each([
  ['MIT', true],
  ['(MIT OR GPL-3.0-or-later)', true],
  ['MIT AND Zlib', true],
  ['MIT AND GPL-3.0-or-later', false],
  ['none', false],
])('the licence %s: %s', (expression, good) => {
  expect(isAllowed(expression, [])).toBe(good)
})

test('every package that is deployed has a licence that allows its use', async () => {
  const { packages } = JSON.parse(await readFile('package-lock.json', 'utf8')) as {
    packages: Record<string, Entry>
  }
  const deployed = Object.entries(packages).filter(
    ([path, { dev, devOptional, link }]) => path.startsWith('node_modules/') && !dev && !devOptional && !link,
  )
  const others = deployed
    .filter(
      ([path, { license = 'none' }]) =>
        !isAllowed(license, replaceable.test(path) ? ['LGPL-3.0-or-later'] : []),
    )
    .map(([path, { license }]) => `${path}: ${license}`)

  expect(deployed.length).toBeGreaterThan(50)
  expect(others).toEqual([])
})
