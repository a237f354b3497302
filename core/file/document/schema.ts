import * as z from 'zod'

/**
 * Result of reading a document. `whole`: its full text; `truncated`: the beginning of its text; the other states have
 * no text. A slow machine may cause `tooSlow`, so that state is cached only for a short time.
 */
export const State = z.enum([
  'whole',
  'truncated',
  'noText',
  'protected',
  'macros',
  'damaged',
  'tooLarge',
  'tooSlow',
])
export type State = z.infer<typeof State>

/** Kinds of contents that the text of a document lacks; each kind is named once, whatever its number. */
export const LeftOut = z.enum([
  'pictures',
  'charts',
  'chartSheets',
  'embeddedFiles',
  'pagesWithoutText',
  'dynamicForm',
  'columns',
  'cellComments',
])
export type LeftOut = z.infer<typeof LeftOut>

/**
 * The text of a document as a model reads it. `pages` is the number of pages of a PDF, and null for other formats and
 * unread files. `isCutByTime` is true if the time limit cut the text. `isLocked` is true for a PDF that its owner
 * locked against printing or copying; providers refuse such a PDF in its own form.
 */
export const Extraction = z.object({
  state: State,
  text: z.string(),
  pages: z.int().nullable(),
  leftOut: z.array(LeftOut),
  isCutByTime: z.literal(true).optional(),
  isLocked: z.literal(true).optional(),
})
export type Extraction = z.infer<typeof Extraction>

/** Limits of reading a document. */
export const limits = {
  pages: 200,
  characters: 400_000,
  /** Rows of all sheets together. */
  rows: 5_000,
  /** Columns per sheet; a sheet may name 16,384 columns in a few bytes. */
  columns: 256,
  /** No further page or sheet begins after this time, in milliseconds. */
  softMs: 12_000,
} as const
export type Limits = { [K in keyof typeof limits]: number }

/** An extraction without text. */
export function without(state: State): Extraction {
  return { state, text: '', pages: null, leftOut: [] }
}

/** Cuts a text to the limit, at the end of a line if one is near. */
export function cap(text: string, characters: number): { text: string; isCut: boolean } {
  if (text.length <= characters) return { text, isCut: false }
  const line = text.lastIndexOf('\n', characters)
  const end = line > characters - 1_000 ? line : characters
  return { text: text.slice(0, end).toWellFormed(), isCut: true }
}
