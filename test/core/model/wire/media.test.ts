import sharp from 'sharp'
import { describe, expect, test } from 'vitest'
import { assistant, body, image, pages, pdf, result, text, use, user, verdict } from './request.ts'

async function pixels(width: number, height: number, format: 'png' | 'jpeg' | 'gif' | 'webp' = 'png') {
  const canvas = sharp({ create: { width, height, channels: 3, background: '#fff' } })
  return (await canvas.toFormat(format).toBuffer()).toString('base64')
}
const png = await pixels(4, 3)
const jpeg = await pixels(4, 3, 'jpeg')
const gif = await pixels(4, 3, 'gif')
const webp = await pixels(4, 3, 'webp')
const wide = await pixels(8_001, 1)
const broad = await pixels(2_001, 1)

describe('images and documents', () => {
  const where = 'messages.0.content.0.image.source.base64'
  const document = 'messages.0.content.0.document.source.base64'
  test.each<[string, Record<string, unknown>[], string]>([
    ['a PNG', [image('image/png', png)], 'accepted'],
    ['a JPEG', [image('image/jpeg', jpeg)], 'accepted'],
    ['a GIF', [image('image/gif', gif)], 'accepted'],
    ['a WebP', [image('image/webp', webp)], 'accepted'],
    [
      'a TIFF',
      [image('image/tiff', png)],
      `${where}.media_type: Input should be 'image/jpeg', 'image/png', 'image/gif' or 'image/webp'`,
    ],
    [
      'a JPEG that says PNG',
      [image('image/png', jpeg)],
      `${where}.data: The image was specified using the image/png media type, but the image appears to be a image/jpeg image`,
    ],
    ['bytes of no image', [image('image/png', 'aGVsbG8h')], 'messages.0.content.0: Could not process image'],
    [
      'a data URI',
      [image('image/png', `data:image/png;base64,${png}`)],
      `${where}.data: Input should be a valid base64 string`,
    ],
    [
      'more than 5 MB',
      [image('image/png', 'A'.repeat(5_242_884))],
      `${where}: image exceeds 5 MB maximum: 5242884 bytes > 5242880 bytes`,
    ],
    [
      'more than 8,000 pixels',
      [image('image/png', wide)],
      `${where}.data: At least one of the image dimensions exceed max allowed size: 8000 pixels`,
    ],
    ['2,001 pixels, alone', [image('image/png', broad)], 'accepted'],
    [
      '2,001 pixels, one of 21',
      [image('image/png', broad), ...Array.from({ length: 20 }, () => image('image/png', png))],
      `${where}.data: At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels`,
    ],
    ['a PDF', [pdf(pages(3))], 'accepted'],
    [
      'a Word file',
      [pdf(pages(1), 'application/msword')],
      `${document}.media_type: Input should be 'application/pdf'`,
    ],
    ['no PDF', [pdf('aGVsbG8h')], `${document}.data: The PDF specified was not valid.`],
    [
      'an encrypted PDF',
      [pdf(pages(1, '/Encrypt 5 0 R'))],
      `${document}.data: The PDF specified is password protected.`,
    ],
    ['601 pages in two', [pdf(pages(600)), pdf(pages(1))], 'A maximum of 600 PDF pages may be provided.'],
  ])('%s', (_, blocks, expected) => {
    expect(verdict(body({}, user(...blocks)))).toBe(expected)
  })

  test('allows fewer images and pages where the window is small', () => {
    const small = { model: 'claude-haiku-4-5' }
    const many = Array.from({ length: 101 }, () => image('image/png', png))

    expect(verdict(body(small, user(...many)))).toBe('messages: too many images and documents: 101 > 100')
    expect(verdict(body(small, user(pdf(pages(101)))))).toBe('A maximum of 100 PDF pages may be provided.')
  })

  test('reads the images within results', () => {
    const messages = [
      user(text()),
      assistant(use('a')),
      user(result('a', { content: [image('image/png', 'aGVsbG8h')] })),
    ]

    expect(verdict(body({}, ...messages))).toBe(
      'messages.2.content.0.tool_result.content.0: Could not process image',
    )
  })
})
