import * as S3 from '@aws-sdk/client-s3'
import { createPresignedPost } from '@aws-sdk/s3-presigned-post'
import { getSignedUrl } from '@aws-sdk/s3-request-presigner'
import { patience, waits } from '../base/aws/transport.ts'
import { config } from '../base/config.ts'

/** Access to the bucket. A missing object is `undefined`; any other failure is thrown after the SDK's retries. */

/** A URL for a direct upload or a download is valid this long, in seconds. */
const addressSeconds = 300

let own: S3.S3Client | undefined
let forBrowsers: S3.S3Client | undefined

/** Returns the S3 client of this process, created on first use. */
export function client(): S3.S3Client {
  own ??= connect(config().endpoints.s3)
  return own
}

/**
 * Returns the client that signs URLs for browsers, which may reach the store under another host name. It never sends a
 * request.
 */
function signer(): S3.S3Client {
  forBrowsers ??= connect(config().endpoints.s3Public)
  return forBrowsers
}

function connect(endpoint: string | undefined): S3.S3Client {
  return new S3.S3Client({
    region: config().region,
    ...(endpoint && { endpoint, forcePathStyle: true }),
    // A checksum of the SDK would become part of a signed URL, and browsers do not send it.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    ...patience(waits.store),
  })
}

const bucket = () => config().bucket

type Headers = { contentType: string; disposition?: string }

/** Stores an object in place of an existing one. */
export async function put(key: string, body: Uint8Array | string, headers: Headers): Promise<void> {
  await client().send(
    new S3.PutObjectCommand({
      Bucket: bucket(),
      Key: key,
      Body: body,
      ContentType: headers.contentType,
      ...(headers.disposition && { ContentDisposition: headers.disposition }),
    }),
  )
}

/** Returns the bytes of an object with its ETag; undefined if there is none. */
export async function get(key: string): Promise<{ bytes: Uint8Array; etag: string } | undefined> {
  return found(async () => {
    const answer = await client().send(new S3.GetObjectCommand({ Bucket: bucket(), Key: key }))
    return { bytes: (await answer.Body?.transformToByteArray()) ?? new Uint8Array(), etag: answer.ETag ?? '' }
  })
}

/** Returns the size of an object in bytes and its ETag, without its content; undefined if there is none. */
export async function head(key: string): Promise<{ size: number; etag: string } | undefined> {
  return found(async () => {
    const answer = await client().send(new S3.HeadObjectCommand({ Bucket: bucket(), Key: key }))
    return { size: answer.ContentLength ?? 0, etag: answer.ETag ?? '' }
  })
}

/** Copies this version of an object, with new headers; false if this version no longer exists. */
export async function copy(from: string, etag: string, to: string, headers: Headers): Promise<boolean> {
  // The copy has the same condition; this check serves stores that ignore it.
  if ((await head(from))?.etag !== etag) return false
  const done = await found(async () => {
    await client().send(
      new S3.CopyObjectCommand({
        Bucket: bucket(),
        Key: to,
        CopySource: `${bucket()}/${from.split('/').map(encodeURIComponent).join('/')}`,
        CopySourceIfMatch: etag,
        MetadataDirective: 'REPLACE',
        ContentType: headers.contentType,
        ...(headers.disposition && { ContentDisposition: headers.disposition }),
      }),
    )
    return true
  })
  return done ?? false
}

/** Removes objects; a missing object is no error. */
export async function remove(...keys: string[]): Promise<void> {
  await Promise.all(
    keys.map((key) => client().send(new S3.DeleteObjectCommand({ Bucket: bucket(), Key: key }))),
  )
}

/** Returns the objects directly in a folder (its key ends with a slash), at most 1,000, by name. */
export async function list(folder: string): Promise<{ key: string; size: number }[]> {
  const answer = await client().send(
    new S3.ListObjectsV2Command({ Bucket: bucket(), Prefix: folder, Delimiter: '/' }),
  )
  return (answer.Contents ?? []).map(({ Key = '', Size = 0 }) => ({ key: Key, size: Size }))
}

/** Returns the form of a direct upload: this key, this type and a size of 1 to `maxBytes`, valid for five minutes. */
export async function uploadForm(
  key: string,
  contentType: string,
  maxBytes: number,
): Promise<{ url: string; fields: Record<string, string> }> {
  return createPresignedPost(signer(), {
    Bucket: bucket(),
    Key: key,
    Expires: addressSeconds,
    Conditions: [
      ['content-length-range', 1, maxBytes],
      ['eq', '$Content-Type', contentType],
    ],
    Fields: { 'Content-Type': contentType, success_action_status: '201' },
  })
}

/** Returns a URL that downloads the object for five minutes, with these headers instead of the stored ones. */
export function downloadUrl(key: string, headers: Required<Headers>): Promise<string> {
  const command = new S3.GetObjectCommand({
    Bucket: bucket(),
    Key: key,
    ResponseContentType: headers.contentType,
    ResponseContentDisposition: headers.disposition,
    ResponseCacheControl: 'no-store',
  })
  return getSignedUrl(signer(), command, { expiresIn: addressSeconds })
}

const absent = new Set(['NoSuchKey', 'NotFound', 'PreconditionFailed'])

async function found<T>(act: () => Promise<T>): Promise<T | undefined> {
  try {
    return await act()
  } catch (error) {
    if (error instanceof Error && absent.has(error.name)) return undefined
    throw error
  }
}

/**
 * Returns the number and bytes of the objects in the bucket. Counts the first 1,000 objects; `isMore` if there are
 * more.
 */
export async function bucketFigures(): Promise<{ objects: number; bytes: number; isMore: boolean }> {
  const { Contents = [], IsTruncated = false } = await client().send(
    new S3.ListObjectsV2Command({ Bucket: bucket() }),
  )
  const bytes = Contents.reduce((sum, { Size = 0 }) => sum + Size, 0)
  return { objects: Contents.length, bytes, isMore: IsTruncated }
}
