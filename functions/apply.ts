import * as Log from '../core/base/log.ts'
import { check } from '../core/stage/settings/check.ts'
import { mistakesOfDeploy } from '../core/stage/settings/meaning.ts'
import { apply } from '../core/stage/settings/settings.ts'
import { tools } from '../core/tool/tools.ts'

/**
 * Stores the settings that a deploy sends. Equal settings change nothing; settings with a mistake are refused as a
 * whole.
 */
export async function handler(event: unknown): Promise<{ changed: boolean }> {
  const { settings, mistakes: wrong } = check(event)
  const mistakes = wrong ?? mistakesOfDeploy(settings, tools)
  if (!settings || mistakes.length > 0) {
    const lines = mistakes.map(({ path, message }) => `${path}: ${message}`)
    throw new Error(`The settings are not valid: ${lines.join('; ')}`)
  }
  const changed = await apply(settings)
  Log.info('Settings were applied', { changed })
  return { changed }
}
