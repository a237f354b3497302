import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'

/** Operators read one sentence and the usage of a command that they called wrongly; the process ends with 2. */

const call = (...line: string[]) => {
  const [script, ...given] = line
  const env = { PATH: process.env.PATH, AI_CHAT_DATA: process.env.AI_CHAT_DATA }
  const { status, stderr } = spawnSync(
    process.execPath,
    ['--no-warnings', `scripts/${script}.ts`, ...given],
    {
      encoding: 'utf8',
      env,
    },
  )
  return { status, stderr }
}

test.each([
  ['--http with no address', ['doctor', '--http', 'nonsense'], '--http is nonsense, which is no address.'],
  [
    'the stage whose alarms nobody gets',
    ['cost', '--stage', 'production'],
    'infra/deployments/production.json is not valid',
  ],
  ['an option that is not known', ['doctor', '--colour', 'red'], "Unknown option '--colour'"],
  ['an option that would clear the screen', ['doctor', '--a\u001b[2J'], "Unknown option '--a\\u001b[2J'"],
  [
    '--http with nobody to log in as',
    ['doctor', '--http', 'http://127.0.0.1:1'],
    'With --http, --as names a user',
  ],
])('%s', (_, line, sentence) => {
  const { status, stderr } = call(...line)

  expect(stderr.split('\n')[0]).toContain(sentence)
  expect(stderr).toContain(`Usage: npm run ${line[0]}`)
  expect(stderr).not.toMatch(/^ +at \S+ \(/m)
  expect(status).toBe(2)
})
