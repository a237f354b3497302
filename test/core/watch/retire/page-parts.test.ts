import '../../../support/setup.ts'
import { createHash, randomUUID } from 'node:crypto'
import { CreateBucketCommand, ListObjectsV2Command, PutObjectCommand } from '@aws-sdk/client-s3'
import { beforeEach, expect, test } from 'vitest'
import { client } from '../../../../core/file/store.ts'
import { judge, retire } from '../../../../core/watch/retire/page-parts.ts'
import { leftKey } from '../../../../core/watch/retire/schema.ts'

/** The store of the test says itself when an object was put, so days are counted from today. */
const today = Date.now() + 60_000
const day = (n: number) => today + n * 86_400_000

let bucket: string
beforeEach(async () => {
  bucket = `pages-${randomUUID()}`
  await client().send(new CreateBucketCommand({ Bucket: bucket }))
})

const put = (Key: string, Body: string) => client().send(new PutObjectCommand({ Bucket: bucket, Key, Body }))

/** Puts what SST puts: what the release before did not have, and what says which parts this one has. */
async function deploy(names: string[], before: string[] = []): Promise<void> {
  for (const name of names.filter((name) => !before.includes(name))) await put(`backend/assets/${name}`, name)
  await publish(names)
  await put('backend/chat.js', names.join())
}

/** Puts what a build says of itself: its parts, and the hash of a page that names them. */
async function publish(names: string[]): Promise<void> {
  const pages = { 'chat.js': createHash('sha256').update(names.join()).digest('hex') }
  await put('backend/release.json', JSON.stringify({ parts: names.map((name) => `assets/${name}`), pages }))
}

async function there(): Promise<string[]> {
  const { Contents = [] } = await client().send(
    new ListObjectsV2Command({ Bucket: bucket, Prefix: 'backend/assets/' }),
  )
  return Contents.map(({ Key = '' }) => Key.slice('backend/assets/'.length))
}

test('a part stays for 30 days after it left the release, and one in use for ever', async () => {
  await deploy(['core-1.js', 'menu-1.js'])
  expect(await retire(bucket, day(0))).toEqual({ isWhole: true, current: 2, left: 0, removed: 0 })
  await deploy(['core-2.js', 'menu-1.js'], ['core-1.js', 'menu-1.js'])

  expect(await retire(bucket, day(400))).toEqual({ isWhole: true, current: 2, left: 1, removed: 0 })
  expect(await retire(bucket, day(429.9))).toEqual({ isWhole: true, current: 2, left: 1, removed: 0 })
  expect(await there()).toEqual(['core-1.js', 'core-2.js', 'menu-1.js'])
  expect(await retire(bucket, day(430))).toEqual({ isWhole: true, current: 2, left: 0, removed: 1 })
  expect(await there()).toEqual(['core-2.js', 'menu-1.js'])
  expect(await retire(bucket, day(431))).toEqual({ isWhole: true, current: 2, left: 0, removed: 0 })
})

test('a part that comes back with its release is no longer due, and has 30 days when it leaves again', async () => {
  await deploy(['core-1.js'])
  await deploy(['core-2.js'], ['core-1.js'])
  await retire(bucket, day(0))
  await deploy(['core-1.js'], ['core-2.js'])
  await retire(bucket, day(20))
  await deploy(['core-2.js'], ['core-1.js'])

  expect(await retire(bucket, day(40))).toEqual({ isWhole: true, current: 1, left: 1, removed: 0 })
  expect(await retire(bucket, day(69))).toEqual({ isWhole: true, current: 1, left: 1, removed: 0 })
  expect(await retire(bucket, day(70))).toEqual({ isWhole: true, current: 1, left: 0, removed: 1 })
  expect(await there()).toEqual(['core-2.js'])
})

test('a part that was put again since it was noted has its days from then: its release may be on its way', () => {
  const before = { a: new Date(day(0)).toISOString(), b: new Date(day(0)).toISOString() }
  const present = [
    { key: 'a', putAt: day(-5) },
    { key: 'b', putAt: day(29) },
  ]

  expect(judge(present, new Set(), before, day(30))).toEqual({
    left: { b: new Date(day(30)).toISOString() },
    due: ['a'],
  })
})

test('notes that cannot be read are taken again, and cost no part its days', async () => {
  await deploy(['core-1.js'])
  await deploy(['core-2.js'], ['core-1.js'])
  await retire(bucket, day(0))
  await put(leftKey, '{"backend/assets/core-1.js":')

  expect(await retire(bucket, day(30))).toEqual({ isWhole: true, current: 1, left: 1, removed: 0 })
  expect(await retire(bucket, day(60))).toEqual({ isWhole: true, current: 1, left: 0, removed: 1 })
})

test('a deploy that failed between the pages and the list of parts takes no part in use, for as long as it stays so', async () => {
  await deploy(['core-1.js'])
  await put('backend/assets/core-2.js', '2')
  await publish(['core-2.js'])
  const nothing = { isWhole: false, current: 0, left: 0, removed: 0 }

  expect([await retire(bucket, day(1)), await retire(bucket, day(60))]).toEqual([nothing, nothing])
  expect(await there()).toEqual(['core-1.js', 'core-2.js'])

  await deploy(['core-1.js'], ['core-1.js'])
  expect(await retire(bucket, day(61))).toEqual({ isWhole: true, current: 1, left: 1, removed: 0 })
  expect(await retire(bucket, day(91))).toEqual({ isWhole: true, current: 1, left: 0, removed: 1 })
  expect(await there()).toEqual(['core-1.js'])
})

test.each([[undefined], ['{"parts":'], ['{"parts":[]}'], ['{"parts":["assets/core-2.js"]}']])(
  'nothing is removed while the bucket does not say what the release has: %s',
  async (told) => {
    await put('backend/assets/core-1.js', '1')
    await put(leftKey, JSON.stringify({ 'backend/assets/core-1.js': new Date(day(0)).toISOString() }))
    if (told) await put('backend/release.json', told)

    await expect(retire(bucket, day(90))).rejects.toThrow()
    expect(await there()).toEqual(['core-1.js'])
  },
)
