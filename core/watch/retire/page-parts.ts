import * as S3 from '@aws-sdk/client-s3'
import { sha256 } from '../../base/hash.ts'
import { parsedJson } from '../../base/json.ts'
import { client } from '../../file/store.ts'
import { Left, leftKey, pagesPrefix, partsPrefix, Release, releaseKey } from './schema.ts'

/**
 * Time for which a part stays after it left the release, in milliseconds: open tabs and embedding pages still load it.
 */
const keptMs = 30 * 86_400_000

/** A part in the bucket, and the time of its last upload in milliseconds since the epoch. */
export type Part = { key: string; putAt: number }

/** The counts of parts in the bucket. `isWhole` is false if the pages in the bucket are not those of the release. */
export type RetireReport = { isWhole: boolean; current: number; left: number; removed: number }

/**
 * Notes the parts in the bucket that are not in the deployed release. Removes parts that left the release 30 days ago.
 * Does nothing if the bucket has other pages than the release, as after a deploy that failed halfway. Throws if the
 * list of the release's parts is missing or not valid.
 */
export async function retire(bucket: string, now: number): Promise<RetireReport> {
  const [listed, noted, present] = await Promise.all([
    read(bucket, releaseKey),
    read(bucket, leftKey),
    parts(bucket),
  ])
  const release = Release.parse(listed)
  if (!(await isServed(bucket, release))) return { isWhole: false, current: 0, left: 0, removed: 0 }
  const current = new Set(release.parts.map((path) => partsPrefix + path.slice('assets/'.length)))
  // If the notes cannot be read, new notes replace them, so the noted parts stay for longer.
  const before = Left.safeParse(noted).data ?? {}
  const { left, due } = judge(present, current, before, now)
  for (const Key of due) await client().send(new S3.DeleteObjectCommand({ Bucket: bucket, Key }))
  // Stores the notes after the removal, so that a part that could not be removed is still noted as due.
  if (JSON.stringify(left) !== JSON.stringify(before)) {
    const Body = JSON.stringify(left)
    await client().send(
      new S3.PutObjectCommand({ Bucket: bucket, Key: leftKey, Body, ContentType: 'application/json' }),
    )
  }
  return { isWhole: true, current: current.size, left: Object.keys(left).length, removed: due.length }
}

/**
 * Returns the notes of parts that left the release, and the keys of parts that are due for removal. A part keeps its
 * first note, unless it was uploaded again since. A deploy uploads a part that has come back, and its 30 days begin
 * when it leaves again.
 */
export function judge(
  present: Part[],
  current: Set<string>,
  before: Left,
  now: number,
): { left: Left; due: string[] } {
  const left: Left = {}
  const due: string[] = []
  for (const { key, putAt } of present) {
    if (current.has(key)) continue
    const since = Date.parse(before[key] ?? '')
    const leftAt = since > putAt ? since : now
    if (leftAt + keptMs <= now) due.push(key)
    else left[key] = new Date(leftAt).toISOString()
  }
  return { left, due }
}

/** True if the pages in the bucket are those of the release, byte for byte. */
async function isServed(bucket: string, { pages }: Release): Promise<boolean> {
  const checks = Object.entries(pages).map(async ([name, hash]) => {
    const text = await textOf(bucket, pagesPrefix + name)
    return text !== undefined && sha256(text) === hash
  })
  return (await Promise.all(checks)).every(Boolean)
}

async function parts(bucket: string): Promise<Part[]> {
  const found: Part[] = []
  for await (const { Contents = [] } of S3.paginateListObjectsV2(
    { client: client() },
    { Bucket: bucket, Prefix: partsPrefix },
  ))
    for (const { Key = '', LastModified } of Contents)
      found.push({ key: Key, putAt: LastModified?.getTime() ?? 0 })
  return found
}

const read = async (bucket: string, key: string): Promise<unknown> => parsedJson(await textOf(bucket, key))

async function textOf(bucket: string, Key: string): Promise<string | undefined> {
  try {
    const { Body } = await client().send(new S3.GetObjectCommand({ Bucket: bucket, Key }))
    return await Body?.transformToString()
  } catch (error) {
    if (error instanceof Error && error.name === 'NoSuchKey') return undefined
    throw error
  }
}
