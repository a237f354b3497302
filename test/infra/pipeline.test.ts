import { readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'

type Statement = {
  Sid?: string
  Effect: string
  Action: string | string[]
  Condition?: { StringEquals: Record<string, unknown> }
}
type Document = { Statement: Statement[] }
type Template = {
  Resources: Record<string, { Properties: { PolicyDocument: Document; AssumeRolePolicyDocument: Document } }>
}

const infra = fileURLToPath(new URL('../../infra/', import.meta.url))
const { Resources } = JSON.parse(readFileSync(`${infra}pipeline/template.json`, 'utf8')) as Template
const actionsOf = (name: string) =>
  Resources[name]?.Properties.PolicyDocument.Statement.flatMap(({ Effect, Action }) =>
    Effect === 'Allow' ? [Action].flat() : [],
  ) ?? []

test('the boundary allows every action that a role of a stage is given', () => {
  const text = readdirSync(infra)
    .filter((name) => name.endsWith('.ts'))
    .map((name) => readFileSync(infra + name, 'utf8'))
    .join('\n')
  const given = new Set(
    [...text.matchAll(/'((?:bedrock|dynamodb|kms|logs|s3|sqs|ssm):[A-Z]\w+)'/g)].map(([, action]) => action),
  )
  // Keys of conditions look like actions.
  for (const key of ['dynamodb:LeadingKeys', 'kms:ViaService']) given.delete(key)

  expect(given.size).toBeGreaterThan(15)
  expect([...given].filter((action) => !actionsOf('Boundary').includes(String(action)))).toEqual([])
})

test.each([
  ['ProductionRole', 'production'],
  ['PreviewRole', 'preview'],
])('%s is for one repository and its environment %s alone', (role, environment) => {
  const [statement, ...others] = Resources[role]?.Properties.AssumeRolePolicyDocument.Statement ?? []

  expect(others).toEqual([])
  expect(statement?.Action).toBe('sts:AssumeRoleWithWebIdentity')
  expect(statement?.Condition).toEqual({
    StringEquals: {
      'token.actions.githubusercontent.com:aud': 'sts.amazonaws.com',
      'token.actions.githubusercontent.com:sub': {
        'Fn::Sub': `repo:\${Repository}:environment:${environment}`,
      },
    },
  })
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
