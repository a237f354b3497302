import type { Shrunk } from './schema.ts'

/** An image with more pixels than any camera produces is an attack on memory. */
const maxPixels = 268_000_000

/** The limits of an image: its longest edge in pixels, and its bytes before base64. */
export type ImageLimits = { edge: number; bytes: number }

/**
 * Draws pages from SVG as JPEG pictures; null for a picture with more than `bytes` bytes. Only for use in the sandbox.
 */
export async function paint(drawings: (string | null)[], bytes: number): Promise<(Shrunk | null)[]> {
  const sharp = await load()
  const pictures: (Shrunk | null)[] = []
  for (const drawing of drawings) {
    // `unlimited` is safe, because our own code made the SVG. Without `unlimited`, a picture may embed at most 10 MB.
    const source = drawing && sharp(Buffer.from(drawing), { unlimited: true }).flatten({ background: '#fff' })
    const picture = source ? await source.jpeg({ quality: 80 }).toBuffer() : undefined
    const isShown = picture && picture.length <= bytes
    pictures.push(isShown ? { mimeType: 'image/jpeg', base64: picture.toString('base64') } : null)
  }
  return pictures
}

/** Loads the native image library. Only the sandbox for images may load native code, not the one for documents. */
export const load = async () => (await import('sharp')).default

/**
 * Scales an image to the limits, turns it upright and drops all metadata. A PNG that fits stays a PNG; others become
 * JPEG, or WebP if they have transparency. Of an animation it keeps the first frame. Returns undefined if no size fits
 * the limits. Only for use in the sandbox.
 */
export async function shrink(bytes: Uint8Array, limits: ImageLimits): Promise<Shrunk | undefined> {
  const sharp = await load()
  const source = sharp(bytes, { limitInputPixels: maxPixels, sequentialRead: true }).autoOrient()
  const { hasAlpha, format, width, height } = await source.metadata()
  if (format === 'png' && Math.max(width, height) <= limits.edge) {
    const same = await source.clone().png().toBuffer()
    if (same.length <= limits.bytes) return { mimeType: 'image/png', base64: same.toString('base64') }
  }
  for (let edge = limits.edge; edge >= 200; edge = Math.floor(edge * 0.7)) {
    const sized = source
      .clone()
      .resize({ width: edge, height: edge, fit: 'inside', withoutEnlargement: true })
    const small = await (hasAlpha ? sized.webp({ quality: 85 }) : sized.jpeg({ quality: 85 })).toBuffer()
    if (small.length > limits.bytes) continue
    return { mimeType: hasAlpha ? 'image/webp' : 'image/jpeg', base64: small.toString('base64') }
  }
  return undefined
}
