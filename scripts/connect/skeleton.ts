import { copyFile, mkdir, readdir, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { UsageError } from '../command.ts'
import { packNode } from './package.ts'

const example = fileURLToPath(new URL('../../docs/examples/node-cms/cms.mjs', import.meta.url))
const kit = 'backend-ai-chat-node.tgz'

/** The address of a skeleton, which it listens at. */
export const skeletonUrl = 'http://127.0.0.1:4000'

/** Writes a small CMS with the chat into a new folder, paired by a code. Throws UsageError for a folder that is not empty. */
export async function writeSkeleton(folder: string, code: string): Promise<void> {
  await mkdir(folder, { recursive: true })
  if ((await readdir(folder)).length > 0) throw new UsageError(`${folder} is not empty.`)
  const manifest = {
    name: basename(folder)
      .toLowerCase()
      .replace(/[^a-z0-9-]+/g, '-'),
    private: true,
    type: 'module',
    scripts: { start: 'node --env-file=.env cms.mjs' },
    dependencies: { 'backend-ai-chat-node': `file:${kit}` },
  }
  await packNode(join(folder, kit))
  await copyFile(example, join(folder, 'cms.mjs'))
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  await writeFile(join(folder, '.env'), `CODE=${code}\n`, { mode: 0o600 })
  await writeFile(join(folder, '.gitignore'), '.env\ncms.json*\nnode_modules\n')
}
