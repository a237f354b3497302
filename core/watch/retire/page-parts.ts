import {
  DeleteObjectCommand,
  GetObjectCommand,
  PutObjectCommand,
  paginateListObjectsV2,
} from '@aws-sdk/client-s3'
import { sha256 } from '../../base/hash.ts'
import { parsedJson } from '../../base/json.ts'
import { client } from '../../file/store.ts'
import { Left, leftKey, pagesPrefix, partsPrefix, Release, releaseKey } from './schema.ts'

/** The time for which a part stays after it left the release: open tabs and embedding pages fetch it on demand. */
const keptMs = 30 * 86_400_000

/** A part that is in the bucket, and when it was put there last. */
export type Part = { key: string; putAt: number }

/** The counts of parts in the bucket; not whole: the pages were not those of the release. */
export type RetireReport = { isWhole: boolean; current: number; left: number; removed: number }

/**
 * Notes the parts in the bucket that the deployed release does not have, and removes those that left 30 days ago. Does
 * neither while the pages are not those of the release, as after a deploy that failed between them. Throws when the
 * bucket does not say what the release has.
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
  // Notes that cannot be read are taken again: their parts stay for longer.
  const before = Left.safeParse(noted).data ?? {}
  const { left, due } = judge(present, current, before, now)
  for (const Key of due) await client().send(new DeleteObjectCommand({ Bucket: bucket, Key }))
  // After the removal: a part that could not be removed is still noted as due.
  if (JSON.stringify(left) !== JSON.stringify(before)) {
    const Body = JSON.stringify(left)
    await client().send(
      new PutObjectCommand({ Bucket: bucket, Key: leftKey, Body, ContentType: 'application/json' }),
    )
  }
  return { isWhole: true, current: current.size, left: Object.keys(left).length, removed: due.length }
}

/**
 * Which of the parts are noted as left from now on, and which are due. A part is noted once, unless it was put again since: a
 * deploy does so when a part is of the release again, and its 30 days begin when it leaves the next time.
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
  for await (const { Contents = [] } of paginateListObjectsV2(
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
    const { Body } = await client().send(new GetObjectCommand({ Bucket: bucket, Key }))
    return await Body?.transformToString()
  } catch (error) {
    if (error instanceof Error && error.name === 'NoSuchKey') return undefined
    throw error
  }
}
