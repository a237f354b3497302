import { execFile } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, test } from 'vitest'
import { packPayload } from '../../../scripts/connect/payload.ts'

test('the package for Payload has its code with types, a page to read and its licence', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'payload-package-'))
  try {
    const file = join(folder, 'plugin.tgz')
    await packPayload(file)
    const { stdout } = await promisify(execFile)('tar', ['-tzf', file])

    expect(stdout.trim().split('\n').sort()).toEqual([
      'package/LICENSE',
      'package/README.md',
      'package/dist/options.d.ts',
      'package/dist/panel.d.ts',
      'package/dist/panel.js',
      'package/dist/plugin.d.ts',
      'package/dist/plugin.js',
      'package/package.json',
    ])
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
})
