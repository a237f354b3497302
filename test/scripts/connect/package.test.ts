import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { packNode, packPayload } from '../../../scripts/connect/package.ts'

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
