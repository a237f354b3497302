import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

type Statement = {
  Sid?: string
  Effect: string
  Action: string | string[]
  Resource?: unknown
  Condition?: { StringEquals: Record<string, unknown> }
}
type Document = { Statement: Statement[] }
type Properties = {
  RoleName?: string
  ManagedPolicyName?: string
  Roles?: unknown[]
  PolicyDocument: Document
  AssumeRolePolicyDocument: Document
}
type Template = {
  Parameters: Record<string, { AllowedValues?: string[]; Default?: string }>
  Conditions: Record<string, unknown>
  Resources: Record<string, { Type: string; Condition?: string; Properties: Properties }>
}

const infra = fileURLToPath(new URL('../../infra/', import.meta.url))
const { Parameters, Conditions, Resources } = JSON.parse(
  readFileSync(`${infra}pipeline/template.json`, 'utf8'),
) as Template
const actionsOf = (name: string) =>
  Resources[name]?.Properties.PolicyDocument.Statement.flatMap(({ Effect, Action }) =>
    Effect === 'Allow' ? [Action].flat() : [],
  ) ?? []

const textOf = (folder: string) =>
  readdirSync(folder)
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(folder + name, 'utf8'))
    .join('\n')

const given = new Set(
  [...textOf(infra).matchAll(/'((?:bedrock|dynamodb|kms|logs|s3|sqs|ssm):[A-Z]\w+)'/g)].map(
    ([, action]) => action,
  ),
)
// Keys of conditions look like actions.
for (const key of ['dynamodb:LeadingKeys', 'kms:ViaService']) given.delete(key)

test('the boundary allows every action that a role of a stage is given', () => {
  expect(given.size).toBeGreaterThan(15)
  expect([...given].filter((action) => !actionsOf('Boundary').includes(String(action)))).toEqual([])
})

/** Services by the names of their clients, where a client is not called like its service. */
const services: Record<string, string> = { 'cost-explorer': 'ce', 'service-quotas': 'servicequotas' }

/** The actions of the commands that the doctor sends by clients of its own. */
const examined = [
  ...textOf(`${infra}../scripts/doctor/`).matchAll(/import \{([^}]+)\} from '@aws-sdk\/client-([\w-]+)'/g),
].flatMap(([, names = '', client = '']) =>
  [...names.matchAll(/(?:paginate(\w+)|(\w+)Command)\b/g)].map(
    ([, pages, command]) => `${services[client] ?? client}:${pages ?? command}`,
  ),
)

test('the pipeline may do what the doctor does in its process: look at the account, and what a turn needs', () => {
  const isAllowed = (action: string) =>
    actionsOf('DeployPolicy').some((allowed) => new RegExp(`^${allowed.replaceAll('*', '.*')}$`).test(action))
  const turn = [...given].map(String).filter((action) => /^(bedrock|dynamodb|s3|sqs):/.test(action))

  expect(examined.length).toBeGreaterThan(7)
  expect(turn).toContain('bedrock:InvokeModelWithResponseStream')
  expect([...examined, ...turn].filter((action) => !isAllowed(action))).toEqual([])
})

test('an account serves one environment: its one role is for one repository and that environment alone', () => {
  const [role, ...others] = Object.values(Resources).filter(({ Type }) => Type === 'AWS::IAM::Role')
  const [statement, ...more] = role?.Properties.AssumeRolePolicyDocument.Statement ?? []

  expect([others, more]).toEqual([[], []])
  expect(statement?.Action).toBe('sts:AssumeRoleWithWebIdentity')
  expect(statement?.Condition).toEqual({
    StringEquals: {
      'token.actions.githubusercontent.com:aud': 'sts.amazonaws.com',
      'token.actions.githubusercontent.com:sub': {
        'Fn::Sub': `repo:\${Repository}:environment:\${Environment}`,
      },
    },
  })
})

test('a second stack in the account of another environment is refused, because its names are taken', () => {
  const names = Object.values(Resources).flatMap(
    ({ Properties: { RoleName, ManagedPolicyName } }) => RoleName ?? ManagedPolicyName ?? [],
  )

  expect(names).toEqual(['ai-chat-boundary', 'ai-chat-deploy', 'pipeline-ai-chat'])
})

test('each environment that a workflow deploys from is one that a stack may serve, by the same variable', () => {
  const text = (name: string) => readFileSync(`${infra}../.github/workflows/${name}.yml`, 'utf8')
  const [, stages = ''] = /options: \[(.+)\]/.exec(text('deploy')) ?? []
  const previews = [...text('preview').matchAll(/environment: (\w+)/g)].map(([, name]) => name)
  const roles = [...`${text('deploy')}${text('preview')}`.matchAll(/role-to-assume: (.+)/g)]

  expect(Parameters.Environment?.AllowedValues).toEqual([...stages.split(', '), ...new Set(previews)])
  expect(new Set(roles.map(([, role]) => role))).toEqual(new Set([`\${{ vars.DEPLOY_ROLE_ARN }}`]))
})

test('the pipeline of an account with a key may use that key as a stage does, and lend it to services', () => {
  const { Condition, Properties } = Resources.KeyPolicy ?? {}
  const statements = Properties?.PolicyDocument.Statement.map(({ Effect, Resource }) => [Effect, Resource])
  const used = [...given].map(String).filter((action) => action.startsWith('kms:'))

  expect([Condition, Conditions[String(Condition)]]).toEqual([
    'HasKey',
    { 'Fn::Not': [{ 'Fn::Equals': [{ Ref: 'KmsKeyArn' }, ''] }] },
  ])
  expect(Parameters.KmsKeyArn?.Default).toBe('')
  expect(Properties?.Roles).toEqual([{ Ref: 'Role' }])
  expect(statements).toEqual([['Allow', { Ref: 'KmsKeyArn' }]])
  expect(actionsOf('KeyPolicy').toSorted()).toEqual(['kms:CreateGrant', ...used].toSorted())
})

test('no role of the pipeline may change itself or another one, or lend it to a service', () => {
  const names = Object.values(Resources).flatMap(({ Properties: { RoleName = [] } }) => RoleName)
  const statements = Resources.DeployPolicy?.Properties.PolicyDocument.Statement ?? []
  const patterns = statements
    .filter(({ Action }) => [Action].flat().some((action) => /^iam:.*(Role|\*)/.test(action)))
    .flatMap(({ Effect, Resource = '' }) => (Effect === 'Deny' ? [] : JSON.stringify(Resource)))
    .flatMap((text) => /role\/([\w-]+)\*/.exec(text)?.[1] ?? [])

  expect(patterns).toEqual(['ai-chat-', 'ai-chat-'])
  expect(names.length).toBeGreaterThan(0)
  expect(names.filter((name) => patterns.some((start) => name.startsWith(start)))).toEqual([])
})

test('the pipeline makes no user, no key, no policy, and no role without the boundary', () => {
  const actions = actionsOf('DeployPolicy')

  expect(actions.filter((action) => /^iam:(\*|.*(User|AccessKey|Group|CreatePolicy))/.test(action))).toEqual(
    [],
  )
  const making = Resources.DeployPolicy?.Properties.PolicyDocument.Statement.find(({ Action }) =>
    [Action].flat().includes('iam:CreateRole'),
  )
  expect(making?.Condition).toEqual({ StringEquals: { 'iam:PermissionsBoundary': { Ref: 'Boundary' } } })
})
