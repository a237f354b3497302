import { copyFile, cp, mkdir, readdir, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { UsageError } from '../command.ts'
import { packNode } from './package.ts'

const here = (path: string) => fileURLToPath(new URL(`../../${path}`, import.meta.url))
const kit = 'backend-ai-chat-node.tgz'

/** The address of a skeleton, which it listens at. */
export const skeletonUrl = 'http://127.0.0.1:4000'

/** The languages of skeletons: the command that starts one, its file, and the kit beside it. */
export const skeletons = {
  node: { start: 'npm install && npm start', file: 'cms.mjs', addKit: addNodeKit },
  php: { start: `php -S ${new URL(skeletonUrl).host} cms.php`, file: 'cms.php', addKit: addPhpKit },
}

/** Writes a small CMS with the chat into a new folder, paired by a code. Throws UsageError for a folder that is not empty. */
export async function writeSkeleton(
  folder: string,
  code: string,
  language: keyof typeof skeletons,
): Promise<void> {
  await mkdir(folder, { recursive: true })
  if ((await readdir(folder)).length > 0) throw new UsageError(`${folder} is not empty.`)
  const { file, addKit } = skeletons[language]
  await addKit(folder)
  await copyFile(here(`docs/examples/${language}-cms/${file}`), join(folder, file))
  await writeFile(join(folder, '.env'), `CODE=${code}\n`, { mode: 0o600 })
  await writeFile(join(folder, '.gitignore'), '.env\ncms.json*\ncms.sqlite*\nnode_modules\n')
}

async function addNodeKit(folder: string): Promise<void> {
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
  await writeFile(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
}

async function addPhpKit(folder: string): Promise<void> {
  await cp(here('packages/php/src'), join(folder, 'kit'), { recursive: true })
}
