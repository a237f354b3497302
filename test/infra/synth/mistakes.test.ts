import { beforeAll, expect, test } from 'vitest'
import { faults } from '../../support/synth/rules.ts'
import { synth } from '../../support/synth/synth.ts'

/** Mistakes as people make them, planted into the program of one stage, and what the rules say of them. */
const mistakes: [what: string, file: string, right: string, wrong: string, said: RegExp][] = [
  [
    'visibility of five timeouts',
    'infra/limits.ts',
    '6 * processTimeoutSeconds',
    '5 * processTimeoutSeconds',
    /visible again before 5400 s/,
  ],
  ['two receives', 'infra/queue.ts', 'retry: maxReceiveCount', 'retry: 2', /dead after 2 receives/],
  ['a batch of ten', 'infra/process.ts', 'size: 1,', 'size: 10,', /10 turns in one invocation/],
  ['no partial answers', 'infra/process.ts', ', partialResponses: true', '', /takes others with it/],
  ['no expiry', 'infra/table.ts', 'ttl: expiryAttribute', 'ttl: undefined', /nothing ever expires/],
  [
    'an open store',
    'infra/api.ts',
    'allowedOrigins: [origin, ...settings.embedOrigins]',
    "allowedOrigins: ['*']",
    /store: open to every page/,
  ],
  [
    'a linked table',
    'infra/link.ts',
    'export const shared = [',
    'export const shared = [table, ',
    /SendRole: dynamodb:\*/,
  ],
  [
    'all resources',
    'infra/permission.ts',
    "actions: ['s3:ListBucket'], resources: [bucket.arn]",
    "actions: ['s3:ListBucket'], resources: ['*']",
    /UploadRole: s3:ListBucket on everything/,
  ],
  [
    'the log policy of AWS',
    'infra/function.ts',
    'args.managedPolicyArns = []',
    'void args',
    /StatusRole: .*AWSLambdaBasicExecutionRole/,
  ],
  [
    'a NAT gateway',
    'infra/stage.ts',
    'export const isPermanent',
    "new sst.aws.Vpc('Costly', { nat: 'managed' })\nexport const isPermanent",
    /Costly.*billed without a user/,
  ],
  [
    'an open gateway',
    'infra/api.ts',
    'embedOrigins.length > 0 && {',
    "{ allowOrigins: ['*'] } || {",
    /api: open to every page/,
  ],
]

let said: string[] = []

beforeAll(async () => {
  const planted: Record<string, (text: string) => string> = {}
  for (const [, file, right, wrong] of mistakes) {
    const before = planted[file]
    planted[file] = (text) => {
      const changed = before ? before(text) : text
      if (!changed.includes(right)) throw new Error(`${file} does not say ${right}`)
      return changed.replace(right, wrong)
    }
  }
  said = faults(await synth('production', planted))
})

test.each(mistakes)('%s is caught', (_what, _file, _right, _wrong, fault) => {
  expect(said).toContainEqual(expect.stringMatching(fault))
})

test('a handler that is not there is caught', async () => {
  const planted = {
    'infra/cleanup.ts': (text: string) => text.replace('functions/cleanup', 'functions/clean'),
  }

  await expect(synth('dev', planted)).rejects.toThrow('There is no functions/clean.ts')
})
