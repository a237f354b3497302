import {
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  PutObjectCommand,
  type S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3'

/** Where an object goes and what it is. */
export type Target = { Bucket: string; Key: string; ContentType: string }

/** The emulator takes no request over 11 MiB, S3 no part below 5. */
const partBytes = 8 * 1024 * 1024

/** Puts an object of any size and answers its ETag: in one request where that is possible, else in parts. */
export async function putObject(client: S3Client, target: Target, body: Buffer): Promise<string> {
  if (body.length <= partBytes) {
    const { ETag = '' } = await client.send(new PutObjectCommand({ ...target, Body: body }))
    return ETag
  }
  const { UploadId } = await client.send(new CreateMultipartUploadCommand(target))
  const { Bucket, Key } = target
  const Parts: { PartNumber: number; ETag: string }[] = []
  for (let at = 0; at < body.length; at += partBytes) {
    const PartNumber = Parts.length + 1
    const Body = body.subarray(at, at + partBytes)
    const { ETag = '' } = await client.send(
      new UploadPartCommand({ Bucket, Key, UploadId, PartNumber, Body }),
    )
    Parts.push({ PartNumber, ETag })
  }
  const { ETag = '' } = await client.send(
    new CompleteMultipartUploadCommand({ Bucket, Key, UploadId, MultipartUpload: { Parts } }),
  )
  return ETag
}
