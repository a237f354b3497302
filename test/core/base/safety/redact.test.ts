import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { redact, redactBeginning } from '../../../../core/base/safety/redact.ts'

/** Put together here, so that no scanner takes this file for a leak. */
const secret = (...parts: string[]) => parts.join('')
const letters = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJ0123456789'
const jwt = secret('eyJ', 'hbGciOiJIUzI1NiJ9', '.eyJ', 'zdWIiOiIxIn0', '.dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1g')
const body = 'MIIEvQIBADANBgkqhkiG9w0BAQEFAASC\nBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj'
const pem = (kind: string) => `-----BEGIN ${kind}-----\n${body}\n-----END ${kind}-----`

describe('a secret is taken out', () => {
  test.each([
    ['Anthropic key', `key ${secret('sk-', 'ant-', 'api03-', letters)} refused`, 'key [redacted] refused'],
    ['OpenAI key', secret('sk-', 'proj-', letters), '[redacted]'],
    ['AWS access key id', `id ${secret('AKIA', 'IOSFODNN7EXAMPLE')}.`, 'id [redacted].'],
    ['AWS session key id', secret('ASIA', 'IOSFODNN7EXAMPLE'), '[redacted]'],
    [
      'AWS secret key',
      secret('aws_secret_access_', 'key = wJalrXUtnFEMI/K7MDENG'),
      'aws_secret_access_key = [redacted]',
    ],
    ['Bedrock API key', secret('ABSK', letters), '[redacted]'],
    ['Hugging Face token', secret('hf', '_', letters.slice(0, 34)), '[redacted]'],
    ['Groq key', secret('gs', 'k_', letters), '[redacted]'],
    ['xAI key', secret('xa', 'i-', letters), '[redacted]'],
    ['Perplexity key', secret('pp', 'lx-', letters), '[redacted]'],
    ['Replicate token', secret('r', '8_', letters.slice(0, 37)), '[redacted]'],
    ['PyPI token', secret('py', 'pi-AgE', letters), '[redacted]'],
    ['Docker token', secret('dck', 'r_pat_', letters.slice(0, 27)), '[redacted]'],
    ['DigitalOcean token', secret('do', 'p_v1_', '0123456789abcdef'.repeat(4)), '[redacted]'],
    ['Grafana token', secret('gl', 'sa_', letters), '[redacted]'],
    ['Shopify token', secret('sh', 'pat_', '0123456789abcdef'.repeat(2)), '[redacted]'],
    ['age key', secret('AGE-SECRET', '-KEY-1', 'QPZRY9X8GF2TVDW0S3JN'.repeat(3)), '[redacted]'],
    ['GitHub token', secret('gh', 'p_', letters), '[redacted]'],
    ['fine-grained GitHub token', secret('github_', 'pat_11ABCDEFG0', letters), '[redacted]'],
    ['GitLab token', secret('gl', 'pat-', letters), '[redacted]'],
    ['npm token', secret('npm', '_', letters.slice(0, 36)), '[redacted]'],
    ['Slack token', secret('xox', 'b-123456789012-abcdefABCDEF'), '[redacted]'],
    ['Slack webhook', secret('https://hooks.slack', '.com/services/T00/B00/XXXXXXXX'), 'https://[redacted]'],
    ['Google API key', secret('AI', 'za', letters.slice(0, 35)), '[redacted]'],
    ['Google OAuth token', secret('ya', '29.', letters), '[redacted]'],
    ['Google client secret', secret('GOC', 'SPX-', letters), '[redacted]'],
    ['Stripe key', secret('sk_', 'live_', letters), '[redacted]'],
    ['Stripe webhook secret', secret('wh', 'sec_', letters), '[redacted]'],
    ['SendGrid key', secret('S', 'G.', letters.slice(0, 22), '.', letters), '[redacted]'],
    ['JSON web token', `token was ${jwt}!`, 'token was [redacted]!'],
    ['password hash', '$2y$12$R9h/cIPz0gi.URNNX3kh2OPST9/PgBkqquzi.Ss7KIUgO2t0jWMUW', '[redacted]'],
    ['scrypt hash', 'password $scrypt$n=16384$c2FsdA$aGFzaA', 'password [redacted]'],
    ['hash of the reference CMS', 'found scrypt$16384$8$1$c2FsdA$aGFzaGhhc2g here', 'found [redacted] here'],
    ['argon2 hash', '$argon2id$v=19$m=65536,t=3,p=4$c29tZXNhbHQ$aGFzaA', '[redacted]'],
    ['private key', `a ${pem('RSA PRIVATE KEY')} b`, 'a [redacted] b'],
    ['private key of another kind', pem('OPENSSH PRIVATE KEY'), '[redacted]'],
    [
      'private key with headers',
      pem('EC PRIVATE KEY').replace('\n', '\nProc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,00\n\n'),
      '[redacted]',
    ],
    ['private key that is cut off', `-----BEGIN PRIVATE KEY-----\n${body}`, '[redacted]'],
    ['Authorization header', 'Authorization: Bearer abc', 'Authorization: [redacted]'],
    [
      'Authorization header of any scheme',
      'authorization: Digest username="x"',
      'authorization: [redacted]"x"',
    ],
    [
      'Authorization in JSON',
      '{"authorization":"Bearer abcdefg","a":1}',
      '{"authorization":"[redacted]","a":1}',
    ],
    ['Bearer in a sentence', 'sent Bearer a1B2c3D4e5 to it', 'sent Bearer [redacted] to it'],
    ['Basic in a sentence', `Basic ${btoa('user:password1')}`, 'Basic [redacted]'],
    ['x-api-key header', 'x-api-key: 0123456789abcdef', 'x-api-key: [redacted]'],
    ['cookie header', 'Cookie: theme=dark; be_session=abc.def', 'Cookie: [redacted]'],
    ['our session cookie', 'be_session=abc.def; Path=/', 'be_session=[redacted]; Path=/'],
    ['address with credentials', 'https://user:pa55@example.com/x', 'https://[redacted]@example.com/x'],
    ['address with a password alone', 'redis://:hunter2@cache:6379', 'redis://[redacted]@cache:6379'],
    [
      'connection string',
      'postgres://app:s3cret@db.internal:5432/cms?ssl=1',
      'postgres://[redacted]@db.internal:5432/cms?ssl=1',
    ],
    [
      'connection string of pairs',
      'Server=db;User Id=sa;Password=hunter2;Encrypt=1',
      'Server=db;User Id=sa;Password=[redacted];Encrypt=1',
    ],
    [
      'account key',
      'AccountName=x;AccountKey=abc+/def==;EndpointSuffix=y',
      'AccountName=x;AccountKey=[redacted];EndpointSuffix=y',
    ],
    [
      'presigned address',
      'https://b.s3/x?X-Amz-Credential=AKI%2F2026&X-Amz-Date=1&X-Amz-Signature=0123abcdef',
      'https://b.s3/x?X-Amz-Credential=[redacted]&X-Amz-Date=1&X-Amz-Signature=[redacted]',
    ],
    ['key in an address', 'GET /v1/models?key=0123456789 failed', 'GET /v1/models?key=[redacted] failed'],
    ['API key in words', 'API Key = abc123def', 'API Key = [redacted]'],
    ['access key in words', 'wrong access key: "abc123def"', 'wrong access key: "[redacted]"'],
    [
      'key that a provider repeats',
      'Incorrect API key provided: abcd1234efgh5678. Look it up.',
      'Incorrect API key provided: [redacted]. Look it up.',
    ],
    ['key that is cut in the middle', 'key received abc1****efgh', 'key received [redacted]'],
    ['key in a sentence', 'The key is "abcd1234efgh" here', 'The key is "[redacted]" here'],
    ['key alone', 'key=abcd1234efgh5678', 'key=[redacted]'],
    ['long key', `Key: ${'ab12'.repeat(500)}`, 'Key: [redacted]'],
    ['variable', 'DB_PASSWORD=hunter2', 'DB_PASSWORD=[redacted]'],
    ['variable of ours', 'AI_CHAT_SECRET_ANTHROPIC=abc123def', 'AI_CHAT_SECRET_ANTHROPIC=[redacted]'],
    ['the secret of the stage', 'AI_CHAT_SECRET=0f1e2d3c4b5a', 'AI_CHAT_SECRET=[redacted]'],
    ['a password with an @', 'mongodb+srv://u:p@ss@h/db', 'mongodb+srv://[redacted]@h/db'],
    ['French', 'Mot de passe : hunter22', 'Mot de passe : [redacted]'],
    ['French, in short', 'mdp=hunter22', 'mdp=[redacted]'],
    ['French token', 'jeton: abc123def', 'jeton: [redacted]'],
    ['French key', "Clé d'API : abc123def", "Clé d'API : [redacted]"],
    ['German key', 'API-Schlüssel: abc123def', 'API-Schlüssel: [redacted]'],
    ['short password', 'password=demo', 'password=[redacted]'],
    ['German', 'Passwort: geheim123', 'Passwort: [redacted]'],
    ['YAML', 'client_secret: abc-def-123', 'client_secret: [redacted]'],
    ['JSON', '{"apiKey":"abc","n":1}', '{"apiKey":"[redacted]","n":1}'],
    ['JSON within JSON', '{\\"password\\":\\"hunter2\\"}', '{\\"password\\":\\"[redacted]\\"}'],
    ['value with spaces in quotes', `secret = 'correct horse battery'`, `secret = '[redacted]'`],
    ['value with a quote of the other kind', `password: "it's me"`, 'password: "[redacted]"'],
    ['camel case', 'accessToken=abcdef', 'accessToken=[redacted]'],
    ['csrf token', '"csrfToken":"0123abcd"', '"csrfToken":"[redacted]"'],
    [
      'linked secret of the deployment',
      'SST_RESOURCE_AnthropicKey={"type":"sst.sst.Secret","value":"abc"}',
      'SST_RESOURCE_AnthropicKey=[redacted]',
    ],
    ['key of the deployment', 'SST_KEY=AbCdEf012345==', 'SST_KEY=[redacted]'],
  ])('%s', (_, text, expected) => {
    expect(redact(text)).toBe(expected)
  })

  test('wherever it stands, and every one of them', () => {
    const key = secret('sk-', 'ant-', letters)

    expect(redact(`(${key},"${key}"\n${key}/${key})`)).toBe(
      '([redacted],"[redacted]"\n[redacted]/[redacted])',
    )
  })
})

describe('what only looks like one stays', () => {
  test.each([
    'The Aurora lamp costs 149 EUR.',
    'Basic functionality for bearers of good news',
    'Bearer authentication is required',
    'A basic understanding: 5=five',
    'inputTokens: 512, outputTokens=99, maxTokens: 8192',
    'token: 512',
    'password: null, token: undefined, secret=""',
    'The password is too short. Tokens are counted per day.',
    'Password must have eight characters.',
    'How do I reset my password?',
    'task-answer-management of the sk-yline',
    'AKIAS is no key, neither is ASIA 2026',
    'https://example.com:8443/path?key=1&sort=asc#user:name',
    'mailto:info@northlight.example',
    'the key is important, key: title, key = 12',
    'The key is understanding, the monkey is abcd1234efgh5678',
    'key: fileadmin/ai-chat-2/photo-1234567.png, key: photo-123456789.png',
    'key=https://example.com/a1b2c3d4e5f6, key: 2026-11-29T12:30',
    'an _key: "a1b2c3d4e5f6" of a block, and "key":"a1b2c3d4e5f6"',
    'ratio 3:4@5, time 12:30, see a://b',
    'sha256 9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08',
    '0b6d4c1e-2f7a-4a57-9d0e-0a1b2c3d4e5f',
    'arn:aws:dynamodb:eu-central-1:123456789012:table/chat',
    '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----',
    'eyJ is how a token begins',
    '$2 and $3 are replaced, 5 $ are not',
    'Author of the secret garden, keyboard: German',
    'conversation 2-01k9zq5t8h3m6n7p8r9s0t1v2w',
    '/* tokenizer */ const secretary = 1',
    'Authors: Anna, Bert',
    'Les mots de passe ont huit caractères.',
    'version v1.2.0 of v1.example',
  ])('%s', (text) => {
    expect(redact(text)).toBe(text)
  })
})

describe('the beginning of a long text', () => {
  const key = secret('ghp_', letters.slice(0, 30))

  test('has no half of a secret at its end', () => {
    // The cut at four times the length falls into the key, and what is left of it looks like no key.
    const text = `${'word '.repeat(799)}${key}${' more'.repeat(100)}`
    const beginning = redactBeginning(text, 1_000)

    expect(beginning).toBe('word '.repeat(799))
  })

  test('is the whole of a text that is short enough', () => {
    expect(redactBeginning(`a ${key} b`, 10)).toBe('a [redacted] b')
  })
})

test('what is redacted stays as it is when it passes again', () => {
  const piece = fc.constantFrom(
    'password',
    '=',
    ': ',
    '"',
    'secret',
    'Bearer ',
    'Authorization: ',
    'abc1234567890',
    'https://',
    'a:b@',
    ' ',
    '[redacted]',
    'key',
    '?',
    '&',
    jwt,
    '\\',
  )

  fc.assert(
    fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
      const once = redact(pieces.join(''))
      expect(redact(once)).toBe(once)
    }),
    { numRuns: 3_000 },
  )
})

test.each([
  'a',
  ' ',
  'a:',
  'https://',
  'https://a',
  'a.',
  'password',
  'password=',
  'password: ',
  'key=',
  'key is a1b2c3d4e5f6-',
  'API key: ',
  'token"',
  '-----BEGIN PRIVATE KEY-----',
  '-----BEGIN ',
  'Bearer ',
  'Basic a',
  'eyJaaaaaaaa.',
  'Cookie: ',
  'authorization',
  'SST_RESOURCE_',
  'SST_KEY="\\"',
  '&X-Amz-Signature=',
  '$2y$',
  'sk-',
  '\\"',
  '=',
])('half a megabyte of %j takes time in proportion', (piece) => {
  const text = piece.repeat(Math.ceil(500_000 / piece.length))

  expect(redact(text).length).toBeLessThanOrEqual(text.length * 11)
})
