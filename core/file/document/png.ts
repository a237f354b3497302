import { crc32, deflateSync } from 'node:zlib'
import { ImageKind } from 'pdfjs-dist/legacy/build/pdf.mjs'

/** Pixels as pdf.js decodes them; `kind` is a value of its `ImageKind`. */
export type Pixels = { width: number; height: number; kind?: number; data: Uint8Array }

/** Bits per sample, PNG colour type, and samples per pixel (https://www.w3.org/TR/png-3/#11IHDR). */
type Form = { bits: number; type: number; samples: number }

const forms = new Map<number | undefined, Form>([
  [ImageKind.GRAYSCALE_1BPP, { bits: 1, type: 0, samples: 1 }],
  [ImageKind.RGB_24BPP, { bits: 8, type: 2, samples: 3 }],
  [ImageKind.RGBA_32BPP, { bits: 8, type: 6, samples: 4 }],
])
const paletteForm: Form = { bits: 1, type: 3, samples: 1 }

/**
 * Returns a picture as a PNG file, scaled down if an edge is longer than `maxEdge` pixels. Throws for an unknown kind.
 */
export function encodePicture(pixels: Pixels, maxEdge: number): Buffer {
  const form = forms.get(pixels.kind)
  if (!form) throw new Error('The picture has an unknown kind')
  return encode(form.bits === 8 ? shrink(pixels, form.samples, maxEdge) : pixels, form)
}

/** Returns a mask as a PNG file: 0 bits have the colour (six hexadecimal digits), 1 bits are transparent. */
export function encodeMask(pixels: Pixels, colour: string): Buffer {
  const palette = [chunk('PLTE', Buffer.from(`${colour}ffffff`, 'hex')), chunk('tRNS', Buffer.from([255, 0]))]
  return encode(pixels, paletteForm, palette)
}

/** Returns a picture with fewer pixels, each the average of a square, if an edge is longer than `maxEdge`. */
function shrink({ width, height, data }: Pixels, samples: number, maxEdge: number): Pixels {
  const by = Math.ceil(Math.max(width, height) / maxEdge)
  if (by < 2) return { width, height, data }
  const [across, down] = [Math.max(1, Math.floor(width / by)), Math.max(1, Math.floor(height / by))]
  const small = new Uint8Array(across * down * samples)
  const most = { x: Math.min(by, width), y: Math.min(by, height) }
  for (let to = 0; to < small.length; to++) {
    const [x, y] = [Math.floor(to / samples) % across, Math.floor(to / samples / across)]
    let sum = 0
    for (let row = 0; row < most.y; row++)
      for (let column = 0; column < most.x; column++)
        sum += data[((y * by + row) * width + x * by + column) * samples + (to % samples)] ?? 255
    small[to] = sum / (most.x * most.y)
  }
  return { width: across, height: down, data: small }
}

function encode(
  { width, height, data }: Pixels,
  { bits, type, samples }: Form,
  palette: Buffer[] = [],
): Buffer {
  const row = Math.ceil((width * bits * samples) / 8)
  const lines = Buffer.alloc((row + 1) * height)
  for (let y = 0; y < height; y++) lines.set(data.subarray(y * row, (y + 1) * row), y * (row + 1) + 1)
  const head = Buffer.alloc(13)
  head.writeUInt32BE(width, 0)
  head.writeUInt32BE(height, 4)
  head.set([bits, type], 8)
  const body = [
    chunk('IHDR', head),
    ...palette,
    chunk('IDAT', deflateSync(lines, { level: 1 })),
    chunk('IEND'),
  ]
  return Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), ...body])
}

function chunk(name: string, content: Buffer = Buffer.alloc(0)): Buffer {
  const named = Buffer.concat([Buffer.from(name, 'latin1'), content])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(content.length)
  sum.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, sum])
}
