/**
 * `npm run infra:check`: checks the types of the deployment code against SST's own components, and fetches the
 * additional dependencies of the infrastructure tests.
 */
import { spawnSync } from 'node:child_process'
import install, { runtimeClient } from '../infra/platform.ts'

await runtimeClient()
await install()
const { status } = spawnSync('node_modules/.bin/tsc', ['-p', 'infra/tsconfig.json'], { stdio: 'inherit' })
process.exit(status ?? 1)
