/**
 * `node scripts/launch.ts NAME …`: runs `scripts/NAME.ts` with the other arguments. If it has a bundle, and no source
 * has changed since, the bundle runs instead: it starts with half of the processor time.
 */
import { fileURLToPath } from 'node:url'
import { keepCompiled, nameSources, quickest } from '../infra/local/compiled.ts'

const source = new URL(`./${process.argv[2]}.ts`, import.meta.url)
// The command gets the same arguments as without this file.
process.argv.splice(1, 2, fileURLToPath(source))
keepCompiled()
const module = quickest(source.href)
if (module !== source.href) nameSources()
await import(module)
