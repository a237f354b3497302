import { S3Client } from '@aws-sdk/client-s3'
import { createPresignedPost } from '@aws-sdk/s3-presigned-post'
import { ask, type Step } from './table.ts'

/** The floor of a function that needs table and store, and signs an address for an upload. */

const endpoint = process.env.S3_ENDPOINT
const storeClient = new S3Client({
  region: process.env.AWS_REGION ?? '',
  ...(endpoint && { endpoint, forcePathStyle: true }),
})

export async function handler({ steps }: { steps: Step[] }): Promise<{ statusCode: number; body: string }> {
  for (const step of steps) await ask(step)
  const address = await createPresignedPost(storeClient, {
    Bucket: process.env.AI_CHAT_BUCKET ?? '',
    Key: 'pending/1/1',
    Conditions: [['content-length-range', 1, 20_971_520]],
    Fields: { 'content-type': 'application/pdf' },
    Expires: 300,
  })
  return { statusCode: 200, body: JSON.stringify(address) }
}
