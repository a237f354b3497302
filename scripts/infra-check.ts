/**
 * `npm run infra:check`: checks the types of what deploys the stages, against SST's own components, and fetches what the
 * tests of the infrastructure need beside those.
 */
import { spawnSync } from 'node:child_process'
import install from '../infra/platform.ts'
import { runtimeClient } from '../infra/runtime-client.ts'

await runtimeClient()
await install()
const { status } = spawnSync('node_modules/.bin/tsc', ['-p', 'infra/tsconfig.json'], { stdio: 'inherit' })
process.exit(status ?? 1)
