import { spawnSync } from 'node:child_process'

/** True where SST has given this process the names and secrets of a deployed stage. */
export const isLinked = (): boolean => Boolean(process.env.SST_RESOURCE_App)

/**
 * Runs this command again with the names and secrets of a deployed stage, which SST gives to people with access to the
 * stage. Answers its exit code.
 */
export function throughShell(stage: string): number {
  const command = ['sst', 'shell', '--stage', stage, '--', process.execPath, ...process.argv.slice(1)]
  return spawnSync('npx', command, { stdio: 'inherit' }).status ?? 1
}
