import type { FunctionName } from '../functions/http/routes.ts'
import { bundling } from './bundle.ts'
import { useKey } from './encryption.ts'
import { memoryMegabytes, requestTimeoutMs } from './limits.ts'
import { shared } from './link.ts'
import { logRetention } from './stage.ts'

type Own = {
  /** The memory of the web functions is that of `web`; each other function has its own. */
  name: FunctionName | Exclude<keyof typeof memoryMegabytes, 'web'>
  permissions: sst.aws.FunctionPermissionArgs[]
  /** Secrets in addition to the secrets of every function. */
  secrets?: sst.Secret[]
  /** The links of the function instead of `shared` and `secrets`; absent: `shared` and `secrets`. */
  links?: unknown[]
}

const memoryOf: Record<string, number | undefined> = memoryMegabytes
const { accountId } = aws.getCallerIdentityOutput()

/**
 * Returns the common arguments of all functions: runtime, bundling, links, the right to use the encryption key, and a
 * log group for only this function.
 */
export function functionArgs({ name: own, permissions, secrets = [], links }: Own) {
  const name = `${$app.name}-${$app.stage}-${own}`
  const writeLog = {
    actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
    resources: [$interpolate`arn:aws:logs:*:${accountId}:log-group:/aws/lambda/${name}:*`],
  }
  return {
    name,
    runtime: 'nodejs24.x',
    architecture: 'arm64',
    memory: `${memoryOf[own] ?? memoryMegabytes.web} MB`,
    logging: { retention: logRetention },
    link: links ?? [...shared, ...secrets],
    nodejs: bundling,
    permissions: [writeLog, ...useKey, ...permissions],
    // Removes AWS's policy for logs, because it permits writing to every log group of the account.
    transform: { role: { managedPolicyArns: [] } },
  } satisfies Partial<sst.aws.FunctionArgs>
}

/** Time limit of a function of the API, equal to the limit of the gateway. */
export const requestTimeout = `${requestTimeoutMs / 1000} seconds` as const
