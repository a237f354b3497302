import { createWriteStream, globSync } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import yazl from 'yazl'

const source = fileURLToPath(new URL('../../packages/wordpress/plugin', import.meta.url))
/** WordPress unpacks a plugin into the folder that its file names. */
const folder = 'backend-ai-chat'

/** Writes the plugin for WordPress as the zip file that its page "Add Plugins" takes. */
export async function packPlugin(file: string): Promise<void> {
  const names = globSync('**/*.*', { cwd: source })
  const zip = new yazl.ZipFile()
  for (const name of names.sort()) zip.addFile(join(source, name), `${folder}/${name}`)
  zip.end()
  await mkdir(dirname(file), { recursive: true })
  await pipeline(zip.outputStream, createWriteStream(file))
}
