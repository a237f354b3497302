import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

const plugin = fileURLToPath(new URL('../plugin', import.meta.url))
const read = (name: string) => readFileSync(join(plugin, name), 'utf8')

/** The sentences that PHP and scripts of the plugin say in its own text domain, and its description in the list of plugins. */
const said = [
  ...globSync('**/*.{php,js}', { cwd: plugin }).flatMap((name) =>
    [...read(name).matchAll(/__\(\s*'((?:[^'\\]|\\.)*)',\s*'backend-ai-chat'/g)].map(([, text = '']) => text),
  ),
  read('backend-ai-chat.php').match(/Description:\s+(.*)/)?.[1] ?? '',
]

const placeholders = (text: string) => text.match(/%[sd]/g) ?? []

test.each(['de', 'fr'])(
  'the plugin says each of its sentences in %s, with the same placeholders',
  (language) => {
    const words: Record<string, string> = JSON.parse(read(`languages/${language}.json`))

    expect(Object.keys(words).sort()).toEqual([...new Set(said)].sort())
    expect(Object.values(words).map(placeholders)).toEqual(Object.keys(words).map(placeholders))
  },
)
