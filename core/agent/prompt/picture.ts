import type { ImageBlock } from '../../conversation/transcript/schema.ts'
import { type ImageLimits, Shrunk } from '../../file/document/image.ts'
import * as Sandbox from '../../file/document/sandbox.ts'
import { type Format, formats, isImage, mimeTypeOf } from '../../file/format.ts'
import { isBare, sizeOf } from '../../file/picture-facts.ts'
import type { ModelLimits } from '../../model/model.ts'

/** The tokens of a picture, as the provider's documentation estimates them. */
export const tokensPerImage = 2_000

/** Why a picture cannot be sent. */
export type Unseen = 'badImage' | 'tooLarge' | 'tooSlow'

/** A picture as a request sends it: within the limits of the model, and without what was stored beside its pixels. */
export async function pictureOf(
  bytes: Uint8Array,
  format: Format | undefined,
  limits: ImageLimits,
  sandbox: Sandbox.SandboxOptions,
): Promise<ImageBlock | Unseen> {
  const size = format && sizeOf(bytes, format)
  if (!size) return 'badImage'
  const fits = Math.max(size.width, size.height) <= limits.edge && bytes.length <= limits.bytes
  // The provider must not learn where and with which device a picture was taken.
  if (fits && isBare(bytes, format)) {
    const mimeType = mimeTypeOf(format) as ImageBlock['mimeType']
    return { type: 'image', mimeType, base64: Buffer.from(bytes).toString('base64') }
  }
  const outcome = await Sandbox.run({ kind: 'image', limits }, bytes, sandbox)
  if (outcome.ended === 'tooLarge' || outcome.ended === 'tooSlow') return outcome.ended
  const small = Shrunk.safeParse(outcome.ended === 'answered' ? outcome.answer : undefined)
  return small.success ? { type: 'image', ...small.data } : 'badImage'
}

/** The most pictures of results that one turn sends, and their bytes before base64: the rest of a request is for files. */
const most = { images: 8, bytes: 4_000_000 }

/** Looks at a picture of a result; undefined where the model cannot be sent it. */
export type See = (picture: { mimeType: string; base64: string }) => Promise<ImageBlock | undefined>

/** Answers a function that looks at pictures of results for a turn, within its limits. */
export function seeing(limits: ModelLimits, sandbox: Sandbox.SandboxOptions): See {
  const room = { images: Math.min(most.images, limits.images), bytes: most.bytes }
  return async ({ mimeType, base64 }) => {
    const format = formats.find((one) => isImage(mimeType) && mimeTypeOf(one) === mimeType)
    if (!format || room.images < 1) return undefined
    const bounds = { edge: limits.imageEdge, bytes: Math.min(limits.imageBytes, room.bytes) }
    const block = await pictureOf(Buffer.from(base64, 'base64'), format, bounds, sandbox)
    if (typeof block === 'string') return undefined
    room.images -= 1
    room.bytes -= Buffer.byteLength(block.base64, 'base64')
    return block
  }
}
