import { expect, test } from 'vitest'
import { withEverything } from '../../support/synth/everything.ts'
import { changes, linesOf } from '../../support/synth/plan.ts'
import { type Synth, synth } from '../../support/synth/synth.ts'

/**
 * Every value that a deploy sends to AWS. A person reads the difference and accepts it:
 * `npx vitest run test/infra/synth/plan.test.ts -u`.
 */
const text = (lines: string[]) => `${lines.join('\n')}\n`

test('a stage in production is planned as accepted', async () => {
  const lines = linesOf(await synth('production'))

  await expect(text(lines)).toMatchFileSnapshot('plans/production.txt')
})

test.each<[kind: string, make: () => Promise<Synth>]>([
  ['dev', () => synth('dev')],
  ['worker', () => synth('worker')],
  ['everything', () => synth('production', {}, withEverything)],
])('a stage of the kind %s differs from it as accepted', async (kind, make) => {
  const lines = changes(linesOf(await synth('production')), linesOf(await make()))

  await expect(text(lines)).toMatchFileSnapshot(`plans/${kind}.diff`)
})
