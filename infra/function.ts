import { memoryMegabytes, requestTimeoutMs } from './figures.ts'
import { shared } from './link.ts'
import { logRetention } from './stage.ts'

type Kind = keyof typeof memoryMegabytes

/** What all functions have in common: runtime, logs, links. `links` are secrets beyond those that everybody has. */
export function common(kind: Kind, links: sst.Secret[] = []) {
  return {
    runtime: 'nodejs24.x',
    architecture: 'arm64',
    memory: `${memoryMegabytes[kind]} MB`,
    logging: { retention: logRetention },
    environment: {
      POWERTOOLS_SERVICE_NAME: 'backend-ai-chat',
      NODE_OPTIONS: '--enable-source-maps',
    },
    link: [...shared, ...links],
  } satisfies Partial<sst.aws.FunctionArgs>
}

/** How long a function behind the gateway may take: as long as the gateway waits. */
export const requestTimeout = `${requestTimeoutMs / 1000} seconds` as const
