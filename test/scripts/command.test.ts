import { spawnSync } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { daysIn } from '../../scripts/command.ts'

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

test.each([
  ['user-data', ['erase', '--user', '3', '--stage', 'dev'], 'This is the stage production, not dev.'],
  ['user-data', ['erase', '--user', '3', '--stage', 'local'], 'This is the stage production, not local.'],
  ['user-data', ['erase', '--user', '3', '--stage', ''], '--stage is empty'],
  ['doctor', ['--stage', 'dev'], 'This is the stage production, not dev.'],
  ['eval', ['--stage', 'dev', '--cms', '--user', '1'], 'This is the stage production, not dev.'],
])('in a shell of another stage, %s %j touches nothing', (script, given, sentence) => {
  const env = {
    PATH: process.env.PATH,
    SST_RESOURCE_App: JSON.stringify({ name: 'ai-chat', stage: 'production' }),
    SST_RESOURCE_Stage: JSON.stringify({ AI_CHAT_STAGE: 'production' }),
  }
  const line = ['--no-warnings', `scripts/${script}.ts`, ...given]

  const { status, stderr } = spawnSync(process.execPath, line, { env, encoding: 'utf8' })

  expect(stderr).toContain(sentence)
  expect(status).toBe(2)
})

describe('the days of a report', () => {
  const now = Date.parse('2026-11-20T12:00:00Z')

  test.each([
    [{}, 30, { from: '2026-10-21', to: '2026-11-20' }],
    [{}, 0, { from: '2026-11-20', to: '2026-11-20' }],
    [{ from: '2024-02-29', to: '2024-02-29' }, 30, { from: '2024-02-29', to: '2024-02-29' }],
    [{ to: '2027-01-01' }, 0, { from: '2026-11-20', to: '2027-01-01' }],
  ])('%j and %i days before are %j', (given, before, days) => {
    expect(daysIn(given, now, before)).toEqual(days)
  })

  test.each([
    [{ from: '2026-02-31' }, '--from is 2026-02-31; it has to be a day such as 2026-11-20.'],
    [{ to: '20.11.2026' }, '--to is 20.11.2026; it has to be a day such as 2026-11-20.'],
    [{ to: '2026-13-01' }, '--to is 2026-13-01; it has to be a day such as 2026-11-20.'],
    [
      { from: '2026-11-20', to: '2026-11-19' },
      '--from is 2026-11-20, and --to is 2026-11-19, a day before it.',
    ],
  ])('%j is refused', (given, sentence) => {
    expect(() => daysIn(given, now)).toThrow(sentence)
  })
})
