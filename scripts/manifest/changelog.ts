/** A released version of the changelog, whose heading has a date. */
export type Release = { version: string; date: string }

/** The heading of a version: `## 1.2.0 (2026-12-01)`, or `(not released)` instead of the date. */
const heading = /^## (\d+\.\d+\.\d+) \((\d{4}-\d{2}-\d{2}|not released)\)$/gm

/** Returns the newest version with a date; undefined before the first release. */
export function latestRelease(changelog: string): Release | undefined {
  for (const [, version = '', date = ''] of changelog.matchAll(heading))
    if (date !== 'not released') return { version, date }
  return undefined
}

/** Returns the text below the heading of a version. Throws if the changelog has no such version, or no date for it. */
export function releaseNotes(changelog: string, version: string): string {
  const parts = changelog.split(/^(?=## )/m)
  const part = parts.find((text) => text.startsWith(`## ${version} (`))
  if (!part) throw new Error(`CHANGELOG.md has no version ${version}.`)
  if (!latestRelease(part)) throw new Error(`CHANGELOG.md has no date for ${version}.`)
  return `${part.slice(part.indexOf('\n')).trim()}\n`
}
