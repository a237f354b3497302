import { expect, test } from 'vitest'
import type { Picture } from '../../../../core/cms/cms.ts'
import type { ImageBlock } from '../../../../core/conversation/transcript/schema.ts'
import { seedPictures } from '../../../../infra/local/seed/content.ts'
import { bench } from '../../../support/tools.ts'

const on = await bench()
await seedPictures()
const block: ImageBlock = { type: 'image', mimeType: 'image/jpeg', base64: 'AAAA' }
const see = async () => block
const shade = { table: 'media', uid: 2 }

test('view_image gives the model the picture, and readers the name of the record', async () => {
  const { text, ...result } = await on.ask('editor', 'view_image', shade, { see })

  expect(text).toMatch(
    /^The picture of media \[2\] “Aurora lamp, the shade”, 640 × 480 pixels, stands beside this result\./,
  )
  expect(result).toEqual({
    isError: false,
    outcome: 'done',
    records: [{ table: 'media', uid: 2, title: 'Aurora lamp, the shade', page: 1 }],
    images: [block],
  })
})

test.each<[string, Picture | undefined, RegExp]>([
  ['gone', undefined, /^The record media \[2\] was not found, or the user may not see it\./],
  ['none', { state: 'none' }, /^This record has no picture that can be shown/],
  ['too large', { state: 'tooLarge' }, /^The picture is too large/],
  [
    'what only claims to be one',
    { state: 'there', base64: Buffer.from('GIF').toString('base64') },
    /^This record has no picture that can be shown/,
  ],
])('a picture that is %s is a refusal with a hint', async (_what, picture, words) => {
  const cms = { ...on.cms, picture: async () => picture }
  const { text, isError, images } = await on.ask('editor', 'view_image', shade, { see, cms })

  expect([text, isError, images]).toEqual([expect.stringMatching(words), true, undefined])
})

test('a picture for which the turn has no room left is a refusal that says so', async () => {
  const { text, isError } = await on.ask('editor', 'view_image', shade, { see: async () => undefined })

  expect([text, isError]).toEqual([expect.stringMatching(/^The picture cannot be shown now: .* 8 /), true])
})
