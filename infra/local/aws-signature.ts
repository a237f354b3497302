import { createHmac, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { S3Client } from '@aws-sdk/client-s3'
import { S3RequestPresigner } from '@aws-sdk/s3-request-presigner'

/** Why S3 refuses an address or a form; the code and status are those of S3. */
export class StoreError extends Error {
  readonly status: number
  readonly code: string

  constructor(status: number, code: string, message: string) {
    super(message)
    this.status = status
    this.code = code
  }
}

const longestSeconds = 604_800
/** The query parameters that signing itself adds. */
const ofSigning = /^x-amz-(algorithm|credential|date|expires|signedheaders|signature|content-sha256)$/i

/**
 * Checks a presigned address by presigning the same request again, with the SDK that made it, at the time that it
 * names. Throws StoreError when it is not signed, was changed, or has expired.
 */
export async function checkAddress(client: S3Client, request: IncomingMessage, now: number): Promise<void> {
  const url = new URL(request.url ?? '/', `http://${request.headers.host}`)
  const given = (name: string) => url.searchParams.get(name) ?? ''
  const signedAt = instant(given('X-Amz-Date'))
  const seconds = Number(given('X-Amz-Expires'))
  if (!signedAt || !given('X-Amz-Signature') || !(seconds > 0 && seconds <= longestSeconds))
    throw new StoreError(403, 'AccessDenied', 'The address is not signed.')
  if (signedAt.getTime() + seconds * 1000 < now)
    throw new StoreError(403, 'AccessDenied', 'Request has expired')

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
    { signingDate: signedAt, expiresIn: seconds },
  )
  if (!same(String(signed.query?.['X-Amz-Signature'] ?? ''), given('X-Amz-Signature')))
    throw new StoreError(403, 'SignatureDoesNotMatch', 'The address was not signed by this stage.')
}

/** The signature of a POST policy: AWS Signature Version 4 over its base64 text, with the key of that day. */
export async function policySignature(client: S3Client, policy: string, day: string): Promise<string> {
  const [{ secretAccessKey }, region] = await Promise.all([
    client.config.credentials(),
    client.config.region(),
  ])
  const hmac = (key: string | Buffer, data: string) => createHmac('sha256', key).update(data).digest()
  const key = [day, region, 's3', 'aws4_request'].reduce<string | Buffer>(hmac, `AWS4${secretAccessKey}`)
  return hmac(key, policy).toString('hex')
}

/** Compares two signatures in a time that does not depend on where they differ. */
export function same(one: string, other: string): boolean {
  const [a, b] = [Buffer.from(one), Buffer.from(other)]
  return a.length === b.length && timingSafeEqual(a, b)
}

/** The instant of `20261120T101112Z`, or undefined. */
function instant(text: string): Date | undefined {
  const parts = /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(text)
  if (!parts) return undefined
  const [, year, month, day, hour, minute, second] = parts
  const date = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}Z`)
  return Number.isNaN(date.getTime()) ? undefined : date
}
