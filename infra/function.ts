import { bundling } from './bundle.ts'
import { useKey } from './encryption.ts'
import { memoryMegabytes, requestTimeoutMs } from './limits.ts'
import { shared } from './link.ts'
import { logRetention } from './stage.ts'

type Own = {
  name: string
  kind: keyof typeof memoryMegabytes
  permissions: sst.aws.FunctionPermissionArgs[]
  /** Secrets in addition to the secrets of every function. */
  secrets?: sst.Secret[]
  /** The links of the function instead of `shared` and `secrets`; absent: `shared` and `secrets`. */
  links?: unknown[]
}

const { accountId } = aws.getCallerIdentityOutput()

/**
 * Returns the common arguments of all functions: runtime, bundling, links, the right to use the encryption key, and a
 * log group that only this function may write to.
 */
export function functionArgs({ name: own, kind, permissions, secrets = [], links }: Own) {
  const name = `${$app.name}-${$app.stage}-${own}`
  const writeLog = {
    actions: ['logs:CreateLogStream', 'logs:PutLogEvents'],
    resources: [$interpolate`arn:aws:logs:*:${accountId}:log-group:/aws/lambda/${name}:*`],
  }
  return {
    name,
    runtime: 'nodejs24.x',
    architecture: 'arm64',
    memory: `${memoryMegabytes[kind]} MB`,
    logging: { retention: logRetention },
    link: links ?? [...shared, ...secrets],
    nodejs: bundling,
    permissions: [writeLog, ...useKey, ...permissions],
    transform: {
      role: (args: aws.iam.RoleArgs) => {
        // Removes AWS's policy for logs, because it permits writing to every log group of the account.
        args.managedPolicyArns = []
      },
    },
  } satisfies Partial<sst.aws.FunctionArgs>
}

/** Time limit of a function of the API, equal to the limit of the gateway. */
export const requestTimeout = `${requestTimeoutMs / 1000} seconds` as const
