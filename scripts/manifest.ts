/**
 * `manifest`: writes `project-manifest.json` and the figures of README.md from the files of the repository. `--check`
 * writes nothing. It exits with 1 for missing evidence, a different figure, a violation of the schema, or a stale file.
 * With or without `--check`, it lists the figures that were measured with other code than the current one.
 */
import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { complain, flag, print, runCommand } from './command.ts'
import { build, readme } from './manifest/document.ts'
import { differences, outdated, violations } from './manifest/outdated.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const file = new URL('../project-manifest.json', import.meta.url)
const readmeFile = new URL('../README.md', import.meta.url)

runCommand('npm run manifest -- [--check]', { options: { check: flag } }, async ({ values }) => {
  const { manifest, mistakes, notes } = build(root)
  for (const note of [...notes, ...(await outdated(root))]) process.stderr.write(`${note}\n`)
  const wrong = [...mistakes, ...violations(manifest), ...(values.check ? await stale(manifest) : [])]
  if (wrong.length > 0) {
    complain(wrong.join('\n'))
    return 1
  }
  if (!values.check) {
    await writeFile(file, `${JSON.stringify(manifest, null, 2)}\n`)
    await writeFile(readmeFile, readme(root))
  }
  print(values.check ? 'project-manifest.json holds' : 'project-manifest.json')
  return 0
})

async function stale(manifest: unknown): Promise<string[]> {
  const text = await readFile(file, 'utf8').catch(() => 'null')
  const found = differences(JSON.parse(text), manifest)
  if ((await readFile(readmeFile, 'utf8')) !== readme(root))
    found.push('README.md: a figure differs from its results file')
  return found.length > 0 ? [...found, 'Write it again with: npm run manifest'] : []
}
