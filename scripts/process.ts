/**
 * `ai-chat:process`: works on one queued conversation and exits. 0 done, 1 the turn failed, 2 wrong call, 3 nothing
 * is queued.
 */
import { command } from './command.ts'
import { workOnQueued } from './process/queued.ts'

command('npm run ai-chat:process -- [--conversation ID]', workOnQueued)
