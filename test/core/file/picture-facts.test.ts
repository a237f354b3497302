import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { isBare, sizeOf } from '../../../core/file/picture-facts.ts'
import { inspect } from '../../../core/file/sniff.ts'
import { image, noise } from '../../support/documents.ts'

const formats = ['png', 'jpeg', 'gif', 'webp'] as const
/** Bytes that are too few for the size. */
const cut = { png: 16, jpeg: 16, gif: 9, webp: 16 }
const exif = { IFD0: { Copyright: 'Ada' }, IFD3: { GPSLatitude: '52/1 30/1 0/1' } }

describe.each(formats)('a picture as %s', (format) => {
  test('has the size of its header', async () => {
    expect(sizeOf(await image(format, 317, 45), format)).toEqual({ width: 317, height: 45 })
  })

  test('that holds pixels alone is bare', async () => {
    expect(isBare(await image(format, 317, 45), format)).toBe(true)
  })

  test('with something behind its end is not bare', async () => {
    expect(isBare(Buffer.concat([await image(format), Buffer.from('behind it')]), format)).toBe(false)
  })

  test('that is cut off is not bare', async () => {
    expect(isBare((await image(format, 64, 64)).subarray(0, -6), format)).toBe(false)
  })

  test('that is cut off in its header is refused', async () => {
    expect(await inspect((await image(format)).subarray(0, cut[format]), format)).toMatch(/damaged|content/)
    expect(sizeOf((await image(format)).subarray(0, 8), format)).toBeUndefined()
  })
})

test.each(['png', 'jpeg', 'webp'] as const)('EXIF in a %s is seen', async (format) => {
  const bytes = await sharp(await image('png'))
    .withExif(exif)
    [format]()
    .toBuffer()

  expect([isBare(bytes, format), sizeOf(bytes, format)]).toEqual([false, { width: 8, height: 8 }])
})

test('a comment in a GIF is seen', async () => {
  const bytes = await image('gif')
  const comment = Buffer.from('21fe0348692100', 'hex')

  expect(isBare(Buffer.concat([bytes.subarray(0, -1), comment, bytes.subarray(-1)]), 'gif')).toBe(false)
})

test.each([
  ['lossless', { lossless: true }, 3],
  ['with transparency', {}, 4],
] as const)('a WebP %s has the size of its header', async (_, options, channels) => {
  const create = { width: 40, height: 30, channels, background: { r: 1, g: 2, b: 3, alpha: 0.5 } }
  const bytes = await sharp({ create }).webp(options).toBuffer()

  expect([sizeOf(bytes, 'webp'), isBare(bytes, 'webp')]).toEqual([{ width: 40, height: 30 }, true])
})

test('a progressive JPEG has the size of its header', async () => {
  const bytes = await sharp(await noise('png', 90, 60))
    .jpeg({ progressive: true })
    .toBuffer()

  expect([sizeOf(bytes, 'jpeg'), isBare(bytes, 'jpeg')]).toEqual([{ width: 90, height: 60 }, true])
})

test('a picture of more than 100 megapixels is refused', async () => {
  const bytes = await image('png')
  bytes.writeUInt32BE(10_001, 16)
  bytes.writeUInt32BE(10_000, 20)

  expect(await inspect(bytes, 'png')).toBe('pixels')
})

test('a picture whose header is cut off is refused', async () => {
  const bytes = await sharp(await image('png'))
    .withExif(exif)
    .jpeg()
    .toBuffer()

  expect(await inspect(bytes.subarray(0, 60), 'jpg')).toBe('damaged')
})
