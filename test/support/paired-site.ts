import { copyFile, mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import type { Actor } from '../../core/base/actor.ts'
import { bridge } from '../../core/cms/bridge/bridge.ts'
import type { Line } from '../../core/cms/bridge/line.ts'
import { newCode, pairingOf } from '../../core/cms/bridge/pairing.ts'
import type { Cms } from '../../core/cms/cms.ts'
import { type Site, startSite } from '../../packages/wordpress/site/site.ts'

/** A WordPress of its own that knows a code, and the line of the stage to it. */
export type PairedSite = {
  site: Site
  folder: string
  code: string
  line: Line
  cms: Cms
  actors: Record<keyof Site['users'], Actor>
  stop(): Promise<void>
}

/** Starts WordPress from a folder, with files as must-use plugins beside the chat, and pairs it. */
export async function startPairedSite(from: string, plugins: string[] = []): Promise<PairedSite> {
  const code = newCode('http://127.0.0.1:3000')
  const { keyId, bridgeKey } = pairingOf(code) as NonNullable<ReturnType<typeof pairingOf>>
  const folder = await mkdtemp(join(tmpdir(), 'wordpress-'))
  const site = await startSite(folder, { from })
  const beside = join(folder, 'site/wp-content/mu-plugins')
  await mkdir(beside, { recursive: true })
  for (const file of plugins) await copyFile(file, join(beside, basename(file)))
  await site.php(`update_option(AIC_Pairing::CURRENT, '${code}');`)
  const line = { url: site.base, keyId, secret: bridgeKey }
  const cms = bridge(line)
  const actors = await Promise.all(
    Object.entries(site.users).map(async ([role, uid]) => [role, await cms.user(uid)] as const),
  )
  return {
    site,
    folder,
    code,
    line,
    cms,
    actors: Object.fromEntries(actors) as PairedSite['actors'],
    async stop() {
      await site.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}
