/** The account of the tests, and what its resources would answer once they were made. */

const account = '123456789012'
const region = 'us-east-1'

export type Inputs = Record<string, unknown>
export type Made = { type: string; name: string; inputs: Inputs; after?: string[] }

/** Answers for every resource as AWS would; ids come from the logical name, since SST's physical ones are random. */
export function mocks(prefix: string, made: Made[]) {
  return {
    newResource({ type, name, inputs: given }: Made): { id: string; state: Inputs } {
      const { __provider, ...inputs } = unwrapped(given) as Inputs
      made.push({ type, name, inputs })
      const id = `${prefix}-${name}`.toLowerCase()
      const arn = arnOf(type, id)
      return {
        id: type === 'aws:sqs/queue:Queue' ? queueUrl(id) : id,
        state: { ...inputs, name: id, arn, ...answered(type, id, arn) },
      }
    },
    call({ token, inputs }: { token: string; inputs: Inputs }): Inputs {
      if (token === 'aws:iam/getPolicyDocument:getPolicyDocument') return policyDocument(inputs)
      return known[token] ?? inputs
    },
  }
}

/** Pulumi marks what is secret, and all that was made of it; here nothing is. */
function unwrapped(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(unwrapped)
  if (typeof value !== 'object' || value === null) return value
  if (secretMark in value && 'value' in value) return unwrapped(value.value)
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, unwrapped(inner)]))
}

const secretMark = '4dabf18193072939515e22adb298388d'

const queueUrl = (id: string) => `https://sqs.${region}.amazonaws.com/${account}/${id}`

function arnOf(type: string, id: string): string {
  const at = `${region}:${account}`
  const arns: Record<string, string> = {
    'aws:sqs/queue:Queue': `arn:aws:sqs:${at}:${id}`,
    'aws:s3/bucket:Bucket': `arn:aws:s3:::${id}`,
    'aws:dynamodb/table:Table': `arn:aws:dynamodb:${at}:table/${id}`,
    'aws:lambda/function:Function': `arn:aws:lambda:${at}:function:${id}`,
    'aws:iam/role:Role': `arn:aws:iam::${account}:role/${id}`,
    'aws:ssm/parameter:Parameter': `arn:aws:ssm:${at}:parameter/${id}`,
    'aws:bedrock/inferenceProfile:InferenceProfile': `arn:aws:bedrock:${at}:application-inference-profile/${id}`,
    'aws:sns/topic:Topic': `arn:aws:sns:${at}:${id}`,
  }
  return arns[type] ?? `arn:aws:mock:${at}:${type}/${id}`
}

function answered(type: string, id: string, arn: string): Inputs {
  const answers: Record<string, Inputs> = {
    'aws:sqs/queue:Queue': { url: queueUrl(id) },
    'aws:ssm/parameter:Parameter': { version: 1 },
    'aws:apigatewayv2/api:Api': {
      apiEndpoint: `https://api123.execute-api.${region}.amazonaws.com`,
      executionArn: `arn:aws:execute-api:${region}:${account}:api123`,
    },
    'aws:lambda/function:Function': {
      invokeArn: `${arn}/invocations`,
      qualifiedArn: `${arn}:1`,
      version: '1',
      lastModified: 'now',
      sourceCodeHash: 'hash',
    },
    'aws:cloudfront/distribution:Distribution': {
      domainName: 'd111.cloudfront.net',
      hostedZoneId: 'Z2FDTNDATAQYW2',
    },
    'aws:s3/bucket:Bucket': {
      bucket: id,
      bucketDomainName: `${id}.s3.amazonaws.com`,
      bucketRegionalDomainName: `${id}.s3.${region}.amazonaws.com`,
    },
    'aws:acm/certificate:Certificate': {
      domainValidationOptions: [
        {
          domainName: 'chat.example',
          resourceRecordName: '_validate.chat.example',
          resourceRecordType: 'CNAME',
          resourceRecordValue: '_value.acm-validations.aws',
        },
      ],
    },
    'random:index/randomBytes:RandomBytes': { base64: Buffer.alloc(32).toString('base64') },
  }
  return answers[type] ?? {}
}

const known: Record<string, Inputs> = {
  'aws:index/getPartition:getPartition': { partition: 'aws', dnsSuffix: 'amazonaws.com' },
  'aws:index/getRegion:getRegion': { region, name: region },
  'aws:index/getCallerIdentity:getCallerIdentity': { accountId: account },
  'aws:index/getAvailabilityZones:getAvailabilityZones': {
    names: [`${region}a`, `${region}b`, `${region}c`],
    zoneIds: ['1', '2', '3'],
  },
  'aws:ec2/getAmi:getAmi': { id: 'ami-1' },
}

type Statement = {
  effect?: string
  actions: string[]
  resources: string[]
  principals?: unknown
  conditions?: unknown
}

function policyDocument(inputs: Inputs): Inputs {
  const statements = (inputs.statements ?? []) as Statement[]
  const Statement = statements.map(({ effect, actions, resources, principals, conditions }) => ({
    Effect: effect ?? 'Allow',
    Action: actions,
    Resource: resources,
    ...(principals !== undefined && { Principal: principals }),
    ...(conditions !== undefined && { Condition: conditions }),
  }))
  return {
    ...inputs,
    statements: statements.length > 0 ? statements : undefined,
    json: JSON.stringify({ Version: '2012-10-17', Statement }),
  }
}
