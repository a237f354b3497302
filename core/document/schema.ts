import * as z from 'zod'

/**
 * What became of a document. `whole`: all of its text is there; `truncated`: its beginning; the others have no text.
 * `tooSlow` may be the machine's fault, so it is not believed for long.
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

/** What a document holds that its text does not: each kind is named once, whatever its number. */
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
 * The text of a document as a model reads it. `pages` of a PDF, null for what has none or was not read; `isCutByTime`
 * where the text is the beginning only because the clock ran out; `isLocked` for a PDF that its owner locked against
 * printing or copying, which a provider refuses in its own form.
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

/** What is read of a document at most. */
export const limits = {
  pages: 200,
  characters: 400_000,
  /** Of all sheets together. */
  rows: 5_000,
  /** A sheet may name 16,384 columns in a few bytes. */
  columns: 256,
  /** After this time no further page or sheet is begun, in milliseconds. */
  softMs: 12_000,
} as const
export type Limits = { [K in keyof typeof limits]: number }

/** An extraction without text. */
export function without(state: State): Extraction {
  return { state, text: '', pages: null, leftOut: [] }
}

/** A text cut to the limit, at a line's end where one is near. */
export function cap(text: string, characters: number): { text: string; isCut: boolean } {
  if (text.length <= characters) return { text, isCut: false }
  const line = text.lastIndexOf('\n', characters)
  const end = line > characters - 1_000 ? line : characters
  return { text: text.slice(0, end).toWellFormed(), isCut: true }
}
