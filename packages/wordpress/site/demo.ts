import { join } from 'node:path'
import { newCode } from '../../../core/cms/bridge/pairing.ts'
import { keepConnection, pairingIn, readConnection } from '../../../infra/local/connection.ts'
import { StageError } from '../../../infra/local/damage.ts'
import { freePort } from '../../../infra/local/free-port.ts'
import { missing, type Site, startSite } from './site.ts'

/** The roles that may use the chat of the demo, besides administrators. */
const groups = ['editor', 'author', 'contributor']

/**
 * Starts a WordPress with some sample pages in a folder, and pairs it with the stage. Throws StageError if the machine
 * lacks the packages. `origin` is the future origin of the stage; `from` is the folder of another WordPress than the
 * packaged one.
 */
export async function startDemo(folder: string, origin: string, from?: string): Promise<Site> {
  if (missing.length > 0)
    throw new StageError(
      `WordPress is made of packages of Debian, and this machine lacks ${missing.join(', ')}. Install them with: apt-get install --no-install-recommends wordpress wordpress-theme-twentytwentythree mariadb-server php-cli php-mysql php-xml php-mbstring php-curl php-gd`,
    )
  const kept = readConnection(folder)
  const code = kept && pairingIn(kept).origin === origin ? kept.code : newCode(origin)
  const port = await freePort('localhost', kept && Number(new URL(kept.url).port))
  const site = await startSite(join(folder, 'site'), { port, hasDemo: true, from })
  await keepConnection(folder, { url: site.base, code, groups })
  await site.php(`update_option(AIC_Pairing::CURRENT, '${code}');`)
  return site
}
