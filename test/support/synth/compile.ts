import { createCipheriv } from 'node:crypto'
import { mkdir, symlink, writeFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import { bundle } from '../bundle.ts'
import type { Compile } from './rpc.ts'

/** Puts into a folder what SST's command line packs of a function: its bundle, the packages beside it, and its links. */
export const compile: Compile = async ({ handler, properties, links, encryptionKey }, folder) => {
  await bundle(basename(handler, '.handler'), folder, properties)
  await Promise.all(Object.keys(properties.install ?? {}).map((name) => install(name, folder)))
  await writeFile(join(folder, 'resource.enc'), encrypted(JSON.stringify(links), encryptionKey))
}

/** The package that the project has: a deploy fetches the one for the function's architecture. */
async function install(name: string, folder: string): Promise<void> {
  const beside = join(folder, 'node_modules', name)
  await mkdir(dirname(beside), { recursive: true })
  await symlink(join(process.cwd(), 'node_modules', name), beside)
}

/** As `sst/resource` reads it: AES-256-GCM with a nonce of zeros, the tag at the end. */
function encrypted(text: string, key: string): Buffer {
  const cipher = createCipheriv('aes-256-gcm', Buffer.from(key, 'base64'), Buffer.alloc(12))
  return Buffer.concat([cipher.update(text), cipher.final(), cipher.getAuthTag()])
}
