import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'

/** What a command prints on a terminal with colours. */
function inColour(script: string, env: Record<string, string> = {}): string {
  const { stdout } = spawnSync(process.execPath, [script], {
    env: { ...process.env, FORCE_COLOR: '1', NO_COLOR: '', ...env },
    encoding: 'utf8',
  })
  return stdout
}

test('a terminal gets the colours of a heading', () => {
  const printed = inColour('scripts/cost.ts')

  expect(printed).toContain('\u001b[1m1,000 turns\u001b[22m')
  expect(printed).not.toContain('\\u001b')
})
