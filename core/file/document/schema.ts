import * as z from 'zod'
import { objectOf } from '../../base/lazy-schema.ts'
import { leftOutKinds } from '../format.ts'

/**
 * Result of reading a document. `whole`: its full text; `truncated`: a part of its text; the other states have no text.
 * A busy machine may cause `tooSlow`; therefore this state is cached only for a short time.
 */
export const State = z.enum([
  'whole',
  'truncated',
  'noText',
  'unreadable',
  'protected',
  'macros',
  'damaged',
  'tooLarge',
  'tooSlow',
])
export type State = z.infer<typeof State>

/** Kinds of contents that the text of a document leaves out. */
export const LeftOut = z.enum(leftOutKinds)
export type LeftOut = z.infer<typeof LeftOut>

/** Units by which a document can be read in parts; rows count over all sheets together. */
export const Unit = z.enum(['page', 'slide', 'row', 'character'])
export type Unit = z.infer<typeof Unit>

const count = z.int()
const flag = z.literal(true).optional()

/**
 * The extracted part of a document, counted from 1; `total` is null if the rest was not counted. `isWithin` is true if
 * the part ends within its only unit.
 */
export const Extent = z.object({
  unit: Unit,
  from: count,
  to: count,
  total: count.nullable(),
  isWithin: flag,
})
export type Extent = z.infer<typeof Extent>

/**
 * The text of a document for a model, and the extent of that text; null for a file without text. `outline` lists pages,
 * headings or sheets of a document that is not read in full. `isCutByTime` is true if the time limit cut the text.
 * `unread` has the pages whose text is missing or incomplete. `sheets` is the number of sheets if there are several.
 * `isLocked` is true for a PDF that its owner locked against printing or copying; providers refuse such a PDF in its
 * own form.
 */
export const Extraction = z.object({
  state: State,
  text: z.string(),
  extent: Extent.nullable(),
  leftOut: z.array(LeftOut),
  outline: z.string().optional(),
  unread: z.array(count).optional(),
  sheets: count.optional(),
  isCutByTime: flag,
  isLocked: flag,
})
export type Extraction = z.infer<typeof Extraction>

/** The form in which a request to the model holds a file: its own form (`sent`), text, or none. */
export const FileState = z.enum([
  ...State.options,
  'sent',
  'gone',
  'noVision',
  'refused',
  'badImage',
  'noRoom',
])
export type FileState = z.infer<typeof FileState>

/**
 * A turn's use of a file: the form in the request, the part that was read, and the number of sheets if there are
 * several. `leftOut` lists the contents that the extracted text omits.
 */
export const FileUse = objectOf(() => ({
  state: FileState,
  leftOut: z.array(LeftOut),
  part: Extent.optional(),
  sheets: count.optional(),
}))
export type FileUse = z.infer<typeof FileUse>

/** An image within the limits of a model. */
export const Shrunk = z.object({
  mimeType: z.enum(['image/png', 'image/jpeg', 'image/webp']),
  base64: z.string(),
})
export type Shrunk = z.infer<typeof Shrunk>
