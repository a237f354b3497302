import * as z from 'zod'

/** More pixels than any camera makes are an attack on memory. */
const maxPixels = 268_000_000

/** What an image may measure at most: its longest edge in pixels, its bytes before base64. */
export type ImageLimits = { edge: number; bytes: number }

/** An image as it may be sent. */
export const Shrunk = z.object({
  mimeType: z.enum(['image/png', 'image/jpeg', 'image/webp']),
  base64: z.string(),
})
export type Shrunk = z.infer<typeof Shrunk>

/** Native code, loaded for pictures alone: the sandbox of documents has none, and could not load it. */
export const load = async () => (await import('sharp')).default

/**
 * The image upright and within the limits, without what was stored beside its pixels: a PNG that fits as PNG, others
 * as JPEG, or as WebP where they have transparency; of an animation the first frame. Undefined when it does not fit however small. Only for use in the sandbox.
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
