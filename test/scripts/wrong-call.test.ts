import { spawnSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { newCode } from '../../core/cms/bridge/pairing.ts'

/** Operators read one sentence and the usage of a command that they called wrongly; the process ends with 2. */

const code = newCode('http://127.0.0.1:3000')
/** The npm scripts whose names differ from their files. */
const commands: Record<string, string> = {
  'connect/check': 'run connect:check',
  release: 'run release:keep',
  start: 'start',
}

const call = (...line: string[]) => {
  const [script, ...given] = line
  const env = { PATH: process.env.PATH, AI_CHAT_DATA: process.env.AI_CHAT_DATA }
  const { status, stderr } = spawnSync(
    process.execPath,
    ['--no-warnings', `scripts/${script}.ts`, ...given],
    {
      encoding: 'utf8',
      timeout: 30_000,
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
  [
    'an option of connect without effect',
    ['connect', '--check', '--new'],
    '--new has no effect with --check.',
  ],
  ['a file without a plugin', ['connect', 'http://127.0.0.1:4', '--file', 'x'], '--file has no effect with'],
  ['groups of a skeleton', ['connect', 'new', '/tmp/x', '--groups', 'a'], '--groups has no effect with new.'],
  ['a check of an address', ['connect', 'http://127.0.0.1:4', '--check'], '--check takes no address'],
  ['a CMS misspelled', ['connect', 'wordpres', 'http://127.0.0.1:4'], 'wordpres is not'],
  ['an origin of no page', ['connect', 'http://127.0.0.1:4', '--origin', 'ftp://x'], 'ftp://x is no origin'],
  ['a skeleton at a file', ['connect', 'new', 'package.json'], 'package.json cannot be written'],
  [
    'a plugin at a folder',
    ['connect', 'wordpress', 'http://127.0.0.1:4', '--file', 'docs'],
    'docs cannot be',
  ],
  ['no address to check', ['connect/check', 'nonsense', '--key', code], 'nonsense is no address.'],
  ['http to elsewhere', ['connect/check', 'http://a.example', '--key', code], 'is not https'],
  [
    'two addresses',
    ['connect/check', 'http://[::1]:4', 'http://b', '--key', code],
    'Name the base address of',
  ],
  ['a key for nobody', ['connect/check', '--key', code], '--key needs a base address.'],
  [
    'a file to watch',
    ['connect/check', 'http://[::1]:4', '--key', code, '--watch', 'package.json'],
    'no folder',
  ],
  ['an option of start', ['start', '--foo'], "Unknown option '--foo'"],
  ['an argument of start', ['start', 'wordpress'], "Unexpected argument 'wordpress'"],
  ['a CMS that start does not know', ['start', '--cms', 'drupal'], '--cms is drupal; it can be wordpress.'],
  ['a folder for no CMS', ['start', '--no-build', '--from', 'docs'], '--from needs --cms wordpress.'],
  ['a folder without WordPress', ['start', '--cms', 'wordpress', '--from', 'docs'], 'no WordPress in docs'],
  ['a file for the notes', ['release', 'notes', 'x'], 'notes takes no file.'],
  ['two files', ['release', 'plugin', '/tmp/a', '/tmp/b'], 'plugin takes one file.'],
  ['a plugin at a folder', ['release', 'plugin', 'docs'], 'docs cannot be written'],
  ['no stage', ['cost', '--stage', ''], 'is no name of a stage'],
  ['a path as a stage', ['cost', '--stage', '../dev'], 'is no name of a stage'],
  [
    'an assumption without effect',
    ['cost', '--conversation', '5', '--turn-seconds', '4'],
    '--turn-seconds has no effect with --conversation.',
  ],
])('%s', (_, line, sentence) => {
  const { status, stderr } = call(...line)

  expect(stderr.split('\n')[0]).toContain(sentence)
  expect(stderr).toContain(`Usage: npm ${commands[line[0] ?? ''] ?? `run ${line[0]}`}`)
  expect(stderr).not.toMatch(/^ +at \S+ \(/m)
  expect(status).toBe(2)
})
