import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
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

test('a command about a deployed stage runs below SST, which reports nothing to its makers', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'npx-'))
  await writeFile(join(folder, 'npx'), '#!/bin/sh\necho "$SST_TELEMETRY_DISABLED" "$1" "$2" "$3" "$4"\n', {
    mode: 0o755,
  })

  const { stdout } = spawnSync(process.execPath, ['scripts/doctor.ts', '--stage', 'far'], {
    env: { ...process.env, PATH: `${folder}${delimiter}${process.env.PATH}`, SST_TELEMETRY_DISABLED: '' },
    encoding: 'utf8',
  })

  expect(stdout).toBe('1 sst shell --stage far\n')
  await rm(folder, { recursive: true })
})
