import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { latestRelease, releaseNotes } from '../../scripts/manifest/changelog.ts'

const changelog = `# Changelog

What changed.

## 2.0.0 (not released)

- Third.

## 1.1.0 (2026-12-01)

- Second,
  in two lines.

**For editors**

- More.

## 1.0.0 (2026-11-24)

- First.
`

test('the notes of a version are the text below its heading, up to the version before it', () => {
  expect(releaseNotes(changelog, '1.1.0')).toBe('- Second,\n  in two lines.\n\n**For editors**\n\n- More.\n')
  expect(releaseNotes(changelog, '1.0.0')).toBe('- First.\n')
})

test.each([
  ['3.0.0', 'CHANGELOG.md has no version 3.0.0.'],
  ['2.0.0', 'CHANGELOG.md has no date for 2.0.0.'],
])('the version %s is not released: %s', (version, sentence) => {
  expect(() => releaseNotes(changelog, version)).toThrow(sentence)
})

test('the latest release is the newest version with a date', () => {
  expect(latestRelease(changelog)).toEqual({ version: '1.1.0', date: '2026-12-01' })
  expect(latestRelease('# Changelog\n\n## 0.1.0 (not released)\n')).toBeUndefined()
})

test('the version of the package has its notes', async () => {
  const { version } = JSON.parse(await readFile('package.json', 'utf8'))

  expect(releaseNotes(await readFile('CHANGELOG.md', 'utf8'), version)).toContain('**For editors**')
})
