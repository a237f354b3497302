/**
 * `node scripts/launch.ts NAME …`: runs `scripts/NAME.ts` with the arguments behind it, from its bundle where there is one
 * that no change of a source has outdated: it then starts in half of the processor time.
 */
import { fileURLToPath } from 'node:url'
import { keepCompiled, nameSources, quickest } from '../infra/local/compiled.ts'

const source = new URL(`./${process.argv[2]}.ts`, import.meta.url)
// The command sees what it would see without this file.
process.argv.splice(1, 2, fileURLToPath(source))
keepCompiled()
const module = quickest(source.href)
if (module !== source.href) nameSources()
await import(module)
