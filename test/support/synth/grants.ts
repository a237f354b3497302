import type { Requested } from './requests.ts'
import type { Statement, Synth } from './synth.ts'

/** Recorded requests held against the roles of a stage, by the rules of IAM that these roles use. */

type Conditional = Statement & { Condition?: { test: string; variable: string; values: string[] }[] }

/** The role of a function by its name in the program. */
export const roles: Record<string, string | RegExp> = {
  upload: 'UploadRole',
  send: 'SendRole',
  status: 'StatusRole',
  poll: 'PollRole',
  conversations: 'ConversationsRole',
  connections: 'ConnectionsRole',
  mcp: 'McpRole',
  backend: 'BackendRole',
  process: /^ProcessSubscriber.*Role$/,
  cleanup: 'CleanupHandlerRole',
  apply: 'ApplyRole',
  retire: 'RetireHandlerRole',
}

/** Requests that AWS would refuse, each once and in words. */
export function refused(synth: Synth, requests: Requested[]): string[] {
  const found = requests.filter((one) => {
    const statements = statementsOf(synth, one.by).filter((it) => isNamed(it, one))
    const isDenied = statements.some((it) => it.Effect === 'Deny' && holds(it, one))
    return isDenied || !statements.some((it) => it.Effect === 'Allow')
  })
  return [...new Set(found.map(({ by, action, resource }) => `${by}: ${action} ${resource}`))]
}

/** What roles allow and no request used, as `function: action resource`, without logs and models. */
export function unused(synth: Synth, requests: Requested[]): string[] {
  return Object.keys(roles).flatMap((by) =>
    statementsOf(synth, by)
      .filter(({ Effect }) => Effect === 'Allow')
      .flatMap(({ Action, Resource }) =>
        [Action].flat().flatMap((action) => [Resource].flat().map((resource) => ({ action, resource }))),
      )
      .filter(({ action }) => /^(?:dynamodb|s3|sqs):/.test(action))
      .filter(({ action, resource }) => {
        const statement = { Effect: 'Allow', Action: action, Resource: resource }
        return !requests.some((one) => one.by === by && isNamed(statement, one))
      })
      .map(({ action, resource }) => `${by}: ${action} ${logical(resource)}`),
  )
}

const statementsOf = (synth: Synth, by: string): Conditional[] => synth.statements(roles[by] ?? by)

/** A star stands at the end of an ARN here, or the deployment's own tests refuse it. */
function isNamed({ Action, Resource }: Statement, { action, resource }: Requested): boolean {
  return (
    [Action].flat().includes(action) &&
    [Resource].flat().some((arn) => {
      const [start = '', ...rest] = logical(arn).split('*')
      return rest.length > 0 ? resource.startsWith(start) : resource === start
    })
  )
}

/** An ARN without what all of the stage share: `arn:aws:s3:::ai-chat-production-filesbucket/x` is `filesbucket/x`. */
const logical = (arn: string): string => arn.replace(/^.*?ai-chat-production-/, '')

/** The two kinds of conditions that the roles have; another one is a fault of this evaluator. */
function holds({ Condition = [] }: Conditional, { keys }: Requested): boolean {
  return Condition.every(({ test, variable, values }) => {
    if (variable !== 'dynamodb:LeadingKeys') throw new Error(`A condition on ${variable} is not known here`)
    if (test === 'Null') return (keys === undefined) === (values[0] === 'true')
    if (test !== 'ForAllValues:StringLike') throw new Error(`The condition ${test} is not known here`)
    return (keys ?? []).every((key) => values.some((value) => key.startsWith(value.replace(/\*$/, ''))))
  })
}
