import type { LeftOut, State } from '../document/schema.ts'
import { fence } from '../safety/fence.ts'

/** What became of an attachment in a request: in its own form, as text, or in neither. */
export type AttachmentState = State | 'sent' | 'gone' | 'noVision' | 'refused' | 'badImage' | 'noRoom'

/** Why a file is not in the request, in words for the model, which tells the user. */
const missing: Record<Exclude<AttachmentState, 'sent' | 'whole' | 'truncated'>, string> = {
  gone: 'it no longer exists',
  noVision: 'the configured model cannot look at images',
  refused: 'the model provider refused it',
  badImage: 'it is not an image that can be read',
  noRoom: 'it does not fit into the request beside the other files',
  noText: 'it has no text: it is empty, or a scan, and text in pictures is not recognised',
  protected: 'it is protected by a password',
  macros: 'it contains macros',
  damaged: 'it is damaged and cannot be read',
  tooLarge: 'it is too large or too complex to be read',
  tooSlow: 'it took too long to read',
}

/**
 * A note in the place of a file. The name stands inside the fence alone, because it is written by strangers as well.
 */
export function note(state: keyof typeof missing, nonce: string, name: string): string {
  const sentence = `The file that the user attached here is not included: ${missing[state]}. Tell the user so.`
  return `[Note of the system: ${sentence}]\n${fence(nonce, name, '(not included)')}`
}

/** What the text of a document lacks, in words for the model. */
const leftOutWords: Record<LeftOut, string> = {
  pictures: 'pictures',
  charts: 'charts and diagrams',
  chartSheets: 'sheets that hold one chart alone',
  embeddedFiles: 'files embedded in it',
  pagesWithoutText: 'pages without a text layer, blank or scanned',
  dynamicForm: 'a form that only its own viewer can show',
  columns: 'columns beyond the 256th',
  cellComments: 'comments on cells',
}

/** The text of a document, fenced, with a note that says what is missing of it. */
export function textOf(
  { isWhole, leftOut }: { isWhole: boolean; leftOut: readonly LeftOut[] },
  nonce: string,
  name: string,
  text: string,
): string {
  const what = 'The user attached this file here; its text was extracted'
  const extent = isWhole ? 'and is complete' : 'and only its beginning is included'
  const lacks = leftOut.map((kind) => leftOutWords[kind]).join('; ')
  const left = lacks === '' ? '' : `. Left out of it: ${lacks}`
  const tell = isWhole && lacks === '' ? '' : '. Tell the user so where it matters'
  return `[Note of the system: ${what} ${extent}${left}${tell}.]\n${fence(nonce, name, text)}`
}
