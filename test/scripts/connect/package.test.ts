import { execFile } from 'node:child_process'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import JSZip from 'jszip'
import { expect, test } from 'vitest'
import { packNode, packPayload, packPlugin } from '../../../scripts/connect/package.ts'

test.each([
  ['Payload', packPayload, ['panel.d.ts', 'panel.js', 'plugin.d.ts', 'plugin.js']],
  ['a CMS on Node.js', packNode, ['connect.d.ts', 'connect.js']],
])('the package for %s has its code with types, a page to read and its licence', async (_, pack, parts) => {
  const folder = await mkdtemp(join(tmpdir(), 'packages-'))
  try {
    const file = join(folder, 'package.tgz')
    await pack(file)
    const { stdout } = await promisify(execFile)('tar', ['-tzf', file])

    expect(stdout.trim().split('\n').sort()).toEqual([
      'package/LICENSE',
      'package/README.md',
      ...parts.map((part) => `package/dist/${part}`),
      'package/package.json',
    ])
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})

test('the plugin for WordPress has the kit that it loads, and is the same file whenever it is made', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'packages-'))
  try {
    const file = join(folder, 'plugin.zip')
    await packPlugin(file)
    const { files } = await JSZip.loadAsync(await readFile(file))

    const looks = Object.values(files).map(
      ({ date, unixPermissions }) => `${date.toISOString()} ${unixPermissions}`,
    )
    expect([...new Set(looks)]).toHaveLength(1)
    expect(Object.keys(files)).toEqual(
      expect.arrayContaining(
        ['backend-ai-chat.php', 'vendor/autoload.php', 'vendor/Bridge.php', 'vendor/questions.json'].map(
          (name) => `backend-ai-chat/${name}`,
        ),
      ),
    )
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
