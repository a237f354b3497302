import { describe } from 'vitest'
import { writeSkeleton } from '../../../scripts/connect/package.ts'
import { testSmallCms } from '../../../test/support/small-cms.ts'
import { lacksPhp, startPhp } from './site.ts'

describe.skipIf(lacksPhp)('A small CMS in PHP', () => {
  testSmallCms((code) => startPhp('cms.php', {}, (folder) => writeSkeleton(folder, code, 'php')))
})
