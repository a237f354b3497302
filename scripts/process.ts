/**
 * `ai-chat:process`: works on one queued conversation and exits. 0 done, 1 the turn failed, 2 wrong call, 3 nothing
 * is queued.
 */
import { keepCompiled } from '../infra/local/compiled.ts'

// For a start without npm: the script in package.json names the folder before Node reads a file, so that Node loads
// nothing that strips types.
keepCompiled()
const { command } = await import('./command.ts')
command('npm run ai-chat:process -- [--conversation ID]', async () => {
  const { workOnQueued } = await import('./process/queued.ts')
  return workOnQueued()
})
