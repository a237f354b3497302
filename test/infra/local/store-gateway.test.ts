import { CreateBucketCommand, GetObjectCommand, PutObjectCommand, S3Client } from '@aws-sdk/client-s3'
import { createPresignedPost, type PresignedPost } from '@aws-sdk/s3-presigned-post'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { type Gateway, startGateway } from '../../../infra/local/gateway.ts'
import { serveStore } from '../../../infra/local/store-gateway.ts'

const bucket = 'store-gateway'
const key = 'pending/2/281474976710655'
const credentials = { accessKeyId: 'local', secretAccessKey: 'of the stage' }
const connect = (endpoint: string, given = credentials) =>
  new S3Client({
    endpoint,
    region: 'us-east-1',
    credentials: given,
    forcePathStyle: true,
    requestChecksumCalculation: 'WHEN_REQUIRED',
  })

const own = connect(process.env.S3_ENDPOINT as string)
let now = Date.now
let gateway: Gateway
let signer: S3Client
let forger: S3Client

beforeAll(async () => {
  await own.send(new CreateBucketCommand({ Bucket: bucket }))
  gateway = await startGateway(0, () => {})
  signer = connect(`${gateway.origin}/store`)
  forger = connect(`${gateway.origin}/store`, { ...credentials, secretAccessKey: 'guessed' })
  gateway.open({
    pages: '/nowhere',
    embedOrigins: [],
    invoke: async () => ({}),
    store: (request, path, body) =>
      serveStore({ client: own, bucket, now: () => now() }, request, path, body),
  })
})

afterAll(() => gateway.close())

beforeEach(async () => {
  now = Date.now
  await own.send(
    new PutObjectCommand({ Bucket: bucket, Key: 'a file.txt', Body: 'hello', ContentType: 'text/html' }),
  )
})

const at = (instant: number) => {
  now = () => instant
}

async function code(answered: Response): Promise<[number, string | undefined]> {
  return [answered.status, /<Code>(\w+)<\/Code>/.exec(await answered.text())?.[1]]
}

async function stored(
  objectKey = key,
): Promise<{ type: string | undefined; text: string | undefined } | undefined> {
  const object = await own
    .send(new GetObjectCommand({ Bucket: bucket, Key: objectKey }))
    .catch((error: Error) => (error.name === 'NoSuchKey' ? undefined : Promise.reject(error)))
  return object && { type: object.ContentType, text: await object.Body?.transformToString() }
}

const address = (client = signer, Key = 'a file.txt') =>
  getSignedUrl(
    client,
    new GetObjectCommand({
      Bucket: bucket,
      Key,
      ResponseContentType: 'application/octet-stream',
      ResponseContentDisposition: `attachment; filename="x.txt"; filename*=UTF-8''gr%C3%BC%C3%9Fe.txt`,
      ResponseCacheControl: 'no-store',
    }),
    { expiresIn: 300 },
  )

test('a presigned address downloads, with the headers that it asks for and never as a page', async () => {
  const answered = await fetch(await address())

  expect(answered.status).toBe(200)
  expect(Object.fromEntries(answered.headers)).toMatchObject({
    'content-type': 'application/octet-stream',
    'content-disposition': `attachment; filename="x.txt"; filename*=UTF-8''gr%C3%BC%C3%9Fe.txt`,
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'content-security-policy': "default-src 'none'; sandbox",
  })
  expect(await answered.text()).toBe('hello')
})

test('a download that names no disposition is an attachment all the same', async () => {
  const url = await getSignedUrl(signer, new GetObjectCommand({ Bucket: bucket, Key: 'a file.txt' }))

  expect((await fetch(url)).headers.get('content-disposition')).toBe('attachment')
})

test.each<[string, () => Promise<string>, [number, string]]>([
  ['was signed with another key', () => address(forger), [403, 'SignatureDoesNotMatch']],
  [
    'names another object than was signed',
    async () => (await address()).replace('a%20file.txt', 'b.txt'),
    [403, 'SignatureDoesNotMatch'],
  ],
  [
    'asks for other headers than were signed',
    async () => (await address()).replace('application%2Foctet-stream', 'text%2Fhtml'),
    [403, 'SignatureDoesNotMatch'],
  ],
  [
    'wants to live longer than was signed',
    async () => (await address()).replace('X-Amz-Expires=300', 'X-Amz-Expires=3000'),
    [403, 'SignatureDoesNotMatch'],
  ],
  ['is not signed', async () => `${gateway.origin}/store/${bucket}/a%20file.txt`, [403, 'AccessDenied']],
  ['names nothing that is there', () => address(signer, 'gone.txt'), [404, 'NoSuchKey']],
  ['names another bucket', async () => (await address()).replace(bucket, 'elsewhere'), [404, 'NoSuchBucket']],
  ['is no address', async () => `${gateway.origin}/store/${bucket}/%E0%A4%A`, [400, 'InvalidURI']],
])('an address that %s is refused', async (_, url, expected) => {
  expect(await code(await fetch(await url()))).toEqual(expected)
})

test('an address is good for as long as it says', async () => {
  const before = Date.now()
  const url = await address()
  const signed = Date.now()

  at(before + 299_000)
  expect((await fetch(url)).status).toBe(200)
  at(signed + 301_000)
  expect(await code(await fetch(url))).toEqual([403, 'AccessDenied'])
})

const form = (client = signer, expires = 300) =>
  createPresignedPost(client, {
    Bucket: bucket,
    Key: key,
    Expires: expires,
    Conditions: [
      ['content-length-range', 1, 20],
      ['eq', '$Content-Type', 'text/plain'],
    ],
    Fields: { 'Content-Type': 'text/plain', success_action_status: '201' },
  })

type Change = { fields?: Record<string, string | undefined>; file?: string | undefined }

function post({ url, fields }: PresignedPost, change: Change = {}): Promise<Response> {
  const data = new FormData()
  for (const [name, value] of Object.entries({ ...fields, ...change.fields }))
    if (value !== undefined) data.set(name, value)
  data.set('file', new Blob([change.file ?? 'content']), 'any name.txt')
  return fetch(url, { method: 'POST', body: data })
}

test('a presigned form stores its file under the key and the type that were signed', async () => {
  const answered = await post(await form())

  expect(answered.status).toBe(201)
  expect(await answered.text()).toContain(`<Key>${key}</Key>`)
  expect(answered.headers.get('access-control-allow-origin')).toBe('*')
  expect(await stored()).toEqual({ type: 'text/plain', text: 'content' })
})

test('a form with a file of 20 MB is stored as it is', async () => {
  const file = 'x'.repeat(20 * 1024 * 1024)
  const signed = await createPresignedPost(signer, { Bucket: bucket, Key: 'large' })

  expect((await post(signed, { file })).status).toBe(204)
  expect((await stored('large'))?.text === file).toBe(true)
})

const widened = Buffer.from(
  JSON.stringify({ expiration: '2099-01-01T00:00:00Z', conditions: [['starts-with', '$key', '']] }),
).toString('base64')

test.each<[string, Change, [number, string]]>([
  ['another key', { fields: { key: 'pending/1/1' } }, [403, 'AccessDenied']],
  ['another type', { fields: { 'Content-Type': 'text/html' } }, [403, 'AccessDenied']],
  ['no type', { fields: { 'Content-Type': undefined } }, [403, 'AccessDenied']],
  ['a field without a condition', { fields: { acl: 'public-read' } }, [403, 'AccessDenied']],
  ['a file above the limit', { file: 'x'.repeat(21) }, [400, 'EntityTooLarge']],
  ['an empty file', { file: '' }, [400, 'EntityTooSmall']],
  ['a policy of its own', { fields: { Policy: widened } }, [403, 'SignatureDoesNotMatch']],
  ['no policy', { fields: { Policy: undefined } }, [403, 'AccessDenied']],
  ['no signature', { fields: { 'X-Amz-Signature': undefined } }, [403, 'SignatureDoesNotMatch']],
  [
    'another day in the credential',
    { fields: { 'X-Amz-Credential': 'local/20200101/us-east-1/s3/aws4_request' } },
    [403, 'SignatureDoesNotMatch'],
  ],
])('a form with %s is refused and stores nothing', async (_, change, expected) => {
  await own.send(
    new PutObjectCommand({ Bucket: bucket, Key: key, Body: 'before', ContentType: 'text/plain' }),
  )

  expect(await code(await post(await form(), change))).toEqual(expected)
  expect(await stored()).toEqual({ type: 'text/plain', text: 'before' })
})

test('a form that is signed with another key is refused', async () => {
  expect(await code(await post(await form(forger)))).toEqual([403, 'SignatureDoesNotMatch'])
})

test('a form that was signed for another bucket is refused', async () => {
  const signed = await createPresignedPost(signer, { Bucket: 'elsewhere', Key: key })

  expect(await code(await post({ ...signed, url: `${gateway.origin}/store/${bucket}` }))).toEqual([
    403,
    'AccessDenied',
  ])
})

test('a form is good for as long as its policy says', async () => {
  const before = Date.now()
  const signed = await form()
  const after = Date.now()

  at(before + 299_000)
  expect((await post(signed)).status).toBe(201)
  at(after + 301_000)
  expect(await code(await post(signed))).toEqual([403, 'AccessDenied'])
})

test('a body that is no form is refused', async () => {
  const url = `${gateway.origin}/store/${bucket}`

  expect(await code(await fetch(url, { method: 'POST', body: 'text' }))).toEqual([400, 'InvalidArgument'])
  expect(await code(await fetch(url, { method: 'POST', body: new FormData() }))).toEqual([
    400,
    'InvalidArgument',
  ])
})

test('a page of another origin may ask beforehand', async () => {
  const answered = await fetch(`${gateway.origin}/store/${bucket}`, {
    method: 'OPTIONS',
    headers: { origin: 'https://cms.example', 'access-control-request-method': 'POST' },
  })

  expect([answered.status, answered.headers.get('access-control-allow-origin')]).toEqual([204, '*'])
})

test.each(['DELETE', 'PATCH'])('%s is no method of the store', async (method) => {
  expect(await code(await fetch(`${gateway.origin}/store/${bucket}/${key}`, { method }))).toEqual([
    405,
    'MethodNotAllowed',
  ])
})
