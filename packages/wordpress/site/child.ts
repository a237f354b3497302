import { spawn } from 'node:child_process'
import { once } from 'node:events'

/** A server that runs with all its processes until it is closed, or this process ends. */
export type Child = { close(): Promise<void> }

/** Waits beside the server until nothing holds the other end of its input any more, then ends the whole group. */
const guard = 'trap : TERM; signal=$1; shift; "$@" & read -r _; kill -s "$signal" 0; wait'

/**
 * Starts a server without its output. `signal` ends it and the processes that it has started: when it is closed, and when
 * this process ends in whatever way, by SIGKILL too, because the kernel then closes the pipe that the guard reads.
 */
export function startChild(
  signal: 'TERM' | 'KILL',
  command: string[],
  env: NodeJS.ProcessEnv = process.env,
): Child {
  const child = spawn('sh', ['-c', guard, 'guard', signal, ...command], {
    env,
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  })
  const ended = once(child, 'exit')
  return {
    async close() {
      child.stdin.end()
      await ended
    },
  }
}
