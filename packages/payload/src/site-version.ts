import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/** The version of Payload that the site has installed, for people; the major version if it is installed elsewhere. */
export const installedVersion = versionBelow(process.cwd())

function versionBelow(folder: string): string {
  const file = join(folder, 'node_modules/payload/package.json')
  if (existsSync(file)) return (JSON.parse(readFileSync(file, 'utf8')) as { version: string }).version
  const above = dirname(folder)
  return above === folder ? '3' : versionBelow(above)
}
