import { createHmac } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { isDeepStrictEqual } from 'node:util'
import * as S3 from '@aws-sdk/client-s3'
import { S3RequestPresigner } from '@aws-sdk/s3-request-presigner'
import { escapeUTF8 } from 'entities/escape'
import { isSameSecret } from '../../core/base/hash.ts'
import { split, type Wire } from './event.ts'

/** The client of the emulator, the only bucket that browsers may use, and the clock. */
export type Store = { client: S3.S3Client; bucket: string; now(): number }

/**
 * Serves the file store to browsers, below `/store/<bucket>` of the stage's own origin. The emulator trusts every
 * caller, so the gateway makes the checks of S3: the signature and expiry of an address, and the policy of a form.
 * Browsers never show a response as a page of this origin.
 */
export async function serveStore(
  store: Store,
  request: IncomingMessage,
  path: string,
  body: Buffer,
): Promise<Wire> {
  try {
    return await answer(store, request, path, body)
  } catch (error) {
    if (error instanceof StoreError) return errorAnswer(error)
    if (error instanceof Error && error.name === 'NoSuchKey')
      return errorAnswer(new StoreError(404, 'NoSuchKey', 'The specified key does not exist.'))
    if (error instanceof URIError)
      return errorAnswer(new StoreError(400, 'InvalidURI', 'The address is not valid.'))
    throw error
  }
}

async function answer(store: Store, request: IncomingMessage, path: string, body: Buffer): Promise<Wire> {
  const [, , bucket, ...rest] = path.split('/')
  if (request.method === 'OPTIONS') return preflight()
  if (bucket !== store.bucket) throw new StoreError(404, 'NoSuchBucket', 'The bucket does not exist.')
  const key = decodeURIComponent(rest.join('/'))
  if (request.method === 'POST' && !key) return upload(store, request, body)
  if (request.method === 'GET' && key) return download(store, request, key)
  throw new StoreError(405, 'MethodNotAllowed', 'The method is not allowed here.')
}

async function download(
  { client, bucket, now }: Store,
  request: IncomingMessage,
  key: string,
): Promise<Wire> {
  await checkAddress(client, request, now())
  const object = await client.send(new S3.GetObjectCommand({ Bucket: bucket, Key: key }))
  const asked = new URLSearchParams(split(request.url ?? '')[1])
  const bytes = (await object.Body?.transformToByteArray()) ?? new Uint8Array()
  return {
    status: 200,
    headers: {
      ...sharedHeaders,
      'content-type': asked.get('response-content-type') ?? object.ContentType ?? 'application/octet-stream',
      'content-disposition':
        asked.get('response-content-disposition') ?? object.ContentDisposition ?? 'attachment',
      'cache-control': asked.get('response-cache-control') ?? 'private, no-cache',
      ...(object.ETag && { etag: object.ETag }),
    },
    body: Buffer.from(bytes),
  }
}

async function upload({ client, bucket, now }: Store, request: IncomingMessage, body: Buffer): Promise<Wire> {
  const { fields, file } = await readForm(request, body)
  await checkForm(client, { ...fields, bucket }, file.length, now())

  const { key: Key = '', 'content-type': ContentType = 'binary/octet-stream' } = fields
  const ETag = await putObject(client, { Bucket: bucket, Key, ContentType }, file)
  const wantsXml = fields.success_action_status === '201'
  return {
    status: wantsXml ? 201 : 204,
    headers: { ...sharedHeaders, etag: ETag, ...(wantsXml && { 'content-type': 'application/xml' }) },
    body: wantsXml ? xml('PostResponse', { Bucket: bucket, Key, ETag }) : noBytes,
  }
}

/** The fields of a form, by their names in lower case. */
type Fields = Record<string, string>

/** Reads the file of a form and the fields before it; like S3, ignores everything after the file. */
async function readForm(request: IncomingMessage, body: Buffer): Promise<{ fields: Fields; file: Buffer }> {
  const type = request.headers['content-type'] ?? ''
  const data = await new Response(new Uint8Array(body), { headers: { 'content-type': type } })
    .formData()
    .catch(() => undefined)
  const fields: Fields = {}
  for (const [name, value] of data ?? []) {
    if (name === 'file') {
      const file = typeof value === 'string' ? Buffer.from(value) : Buffer.from(await value.arrayBuffer())
      return { fields, file }
    }
    if (typeof value === 'string') fields[name.toLowerCase()] = value
  }
  throw new StoreError(400, 'InvalidArgument', 'POST requires exactly one file upload per request.')
}

const noBytes = Buffer.alloc(0)

/**
 * A signed address itself grants the access, so a page of any origin may use it. Browsers never show a response as a
 * page of the stage.
 */
const sharedHeaders = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'etag',
  'x-content-type-options': 'nosniff',
  'content-security-policy': "default-src 'none'; sandbox",
}

function preflight(): Wire {
  const headers = {
    ...sharedHeaders,
    'access-control-allow-methods': 'GET, POST',
    'access-control-allow-headers': 'content-type',
    'access-control-max-age': '600',
  }
  return { status: 204, headers, body: noBytes }
}

function errorAnswer({ status, code, message }: StoreError): Wire {
  const headers = { ...sharedHeaders, 'content-type': 'application/xml' }
  return { status, headers, body: xml('Error', { Code: code, Message: message }) }
}

function xml(name: string, fields: Record<string, string>): Buffer {
  const inner = Object.entries(fields).map(([field, value]) => `<${field}>${escapeUTF8(value)}</${field}>`)
  return Buffer.from(`<?xml version="1.0" encoding="UTF-8"?><${name}>${inner.join('')}</${name}>`)
}

/** Size of a part, in bytes: the emulator takes no request above 11 MiB, and S3 no part below 5 MiB. */
const partBytes = 8 * 1024 * 1024

/** Puts an object of any size and returns its ETag: in one request if that is possible, or else in parts. */
async function putObject(
  client: S3.S3Client,
  target: { Bucket: string; Key: string; ContentType: string },
  body: Buffer,
): Promise<string> {
  if (body.length <= partBytes) {
    const { ETag = '' } = await client.send(new S3.PutObjectCommand({ ...target, Body: body }))
    return ETag
  }
  const { UploadId } = await client.send(new S3.CreateMultipartUploadCommand(target))
  const { Bucket, Key } = target
  const Parts: { PartNumber: number; ETag: string }[] = []
  for (let at = 0; at < body.length; at += partBytes) {
    const PartNumber = Parts.length + 1
    const Body = body.subarray(at, at + partBytes)
    const { ETag = '' } = await client.send(
      new S3.UploadPartCommand({ Bucket, Key, UploadId, PartNumber, Body }),
    )
    Parts.push({ PartNumber, ETag })
  }
  const { ETag = '' } = await client.send(
    new S3.CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts } }),
  )
  return ETag
}

/**
 * A condition of a policy that the stage signs: the value of a field, in one of two forms, or the minimum and maximum
 * size.
 */
type Condition = Fields | ['eq', field: string, value: string] | ['content-length-range', number, number]

/**
 * Checks a form as S3 does: this stage has signed its policy, the policy is not expired, and the form has exactly the
 * policy's fields. Throws StoreError.
 */
async function checkForm(client: S3.S3Client, fields: Fields, size: number, now: number): Promise<void> {
  const { policy, 'x-amz-signature': signature = '', ...given } = fields
  const [, day] = (given['x-amz-credential'] ?? '').split('/')
  if (!policy || !day) throw new StoreError(403, 'AccessDenied', 'The form is not signed.')
  if (!isSameSecret(await policySignature(client, policy, day), signature))
    throw new StoreError(403, 'SignatureDoesNotMatch', 'The form was not signed by this stage.')
  const { expiration, conditions }: { expiration: string; conditions: Condition[] } = JSON.parse(
    Buffer.from(policy, 'base64').toString('utf8'),
  )
  if (Date.parse(expiration) <= now) throw new StoreError(403, 'AccessDenied', 'Policy expired.')
  const wanted: Fields = {}
  for (const condition of conditions) {
    if (!Array.isArray(condition))
      for (const [name, value] of Object.entries(condition)) wanted[name.toLowerCase()] = value
    else if (condition[0] === 'eq') wanted[condition[1].slice(1).toLowerCase()] = condition[2]
    else checkSize(size, condition[1], condition[2])
  }
  if (!isDeepStrictEqual(given, wanted))
    throw new StoreError(403, 'AccessDenied', 'The fields are not those of the policy.')
}

function checkSize(size: number, least: number, most: number): void {
  if (size < least) throw new StoreError(400, 'EntityTooSmall', 'Your proposed upload is too small')
  if (size > most) throw new StoreError(400, 'EntityTooLarge', 'Your proposed upload is too large')
}

/** Thrown if S3 would refuse an address or a form, with the code and status that S3 uses. */
class StoreError extends Error {
  readonly status: number
  readonly code: string

  constructor(status: number, code: string, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

const longestSeconds = 604_800
/** The query parameters that a signature adds to an address. */
const ofSigning = /^x-amz-(algorithm|credential|date|expires|signedheaders|signature|content-sha256)$/i

/**
 * Checks a presigned address: presigns the same request again, with the same SDK and for the time in the address.
 * Throws StoreError if the address is not signed, was changed, or has expired.
 */
async function checkAddress(client: S3.S3Client, request: IncomingMessage, now: number): Promise<void> {
  const url = new URL(request.url ?? '/', `http://${request.headers.host}`)
  const given = (name: string) => url.searchParams.get(name) ?? ''
  const signedAt = Date.parse(
    given('X-Amz-Date').replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z'),
  )
  const seconds = Number(given('X-Amz-Expires'))
  if (Number.isNaN(signedAt) || !given('X-Amz-Signature') || !(seconds > 0 && seconds <= longestSeconds))
    throw new StoreError(403, 'AccessDenied', 'The address is not signed.')
  if (signedAt + seconds * 1000 < now) throw new StoreError(403, 'AccessDenied', 'Request has expired')

  const names = given('X-Amz-SignedHeaders').split(';').filter(Boolean)
  const signed = await new S3RequestPresigner({ ...client.config }).presign(
    {
      method: request.method ?? 'GET',
      protocol: url.protocol,
      hostname: url.hostname,
      ...(url.port && { port: Number(url.port) }),
      path: url.pathname,
      query: Object.fromEntries([...url.searchParams].filter(([name]) => !ofSigning.test(name))),
      headers: Object.fromEntries(names.map((name) => [name, String(request.headers[name] ?? '')])),
    },
    { signingDate: new Date(signedAt), expiresIn: seconds },
  )
  if (!isSameSecret(String(signed.query?.['X-Amz-Signature'] ?? ''), given('X-Amz-Signature')))
    throw new StoreError(403, 'SignatureDoesNotMatch', 'The address was not signed by this stage.')
}

/** Returns the signature of a POST policy: AWS Signature Version 4 over its base64 text, with the key of that day. */
async function policySignature(client: S3.S3Client, policy: string, day: string): Promise<string> {
  const [{ secretAccessKey }, region] = await Promise.all([
    client.config.credentials(),
    client.config.region(),
  ])
  const hmac = (key: string | Buffer, data: string) => createHmac('sha256', key).update(data).digest()
  const key = [day, region, 's3', 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${secretAccessKey}`)
  return hmac(key, policy).toString('hex')
}
