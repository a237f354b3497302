/** A process that loads the code of a turn as `ai-chat:process` does, and runs none. */
import { keepCompiled } from '../../../infra/local/compiled.ts'

keepCompiled()
await import('../../command.ts')
await import('../../process/queued.ts')
