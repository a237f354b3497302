import { type English, fillIn, inLanguage } from '../../base/language.ts'
import type { Extent, FileState, FileUse, LeftOut, Unit } from '../../file/document/schema.ts'
import type { Message, NotUsed } from './schema.ts'

/** The reasons why a file is missing from a request. */
export type Absent = Exclude<FileState, 'sent' | 'whole' | 'truncated'>

/** The reasons in words, as the end of the sentence `It is not used: …`. */
export const absentWords: Record<Absent, English> = {
  gone: { en: 'it no longer exists' },
  noVision: { en: 'the configured model cannot look at images' },
  refused: { en: 'the model provider refused it' },
  badImage: { en: 'it is not an image that can be read' },
  noRoom: { en: 'it does not fit into the request beside the other files' },
  noText: { en: 'it has no text: it is empty, or a scan, and text in pictures is not recognised' },
  unreadable: {
    en: 'its letters cannot be recognised',
  },
  protected: { en: 'it is protected by a password' },
  macros: { en: 'it contains macros' },
  damaged: { en: 'it is damaged and cannot be read' },
  tooLarge: { en: 'it is too large or too complex to be read' },
  tooSlow: { en: 'it took too long to read' },
}

/** The kinds of content that the extracted text of a document lacks, in words. */
export const leftOutWords: Record<LeftOut, English> = {
  pictures: { en: 'pictures' },
  recordings: { en: 'sound and video' },
  charts: { en: 'charts and diagrams' },
  chartSheets: { en: 'chart sheets' },
  embeddedFiles: { en: 'files embedded in it' },
  pagesWithoutText: { en: 'pages without a text layer, blank or scanned' },
  unreadablePages: { en: 'pages whose letters cannot be recognised' },
  dynamicForm: { en: 'a form that only its own viewer can show' },
  columns: { en: 'columns beyond the 256th' },
  cellComments: { en: 'comments on cells' },
  trackedChanges: { en: 'text deleted while changes were tracked' },
}

const sentences: English<Record<'absent' | 'beginning' | 'leftOut' | Unit, string>> = {
  en: {
    absent: 'The file “{name}” was not used: {words}.',
    beginning: 'Only the beginning of the file “{name}” was used.',
    page: 'The assistant got the pages {from} to {to} of {total} of the file “{name}”; it can read on.',
    slide: 'The assistant got the slides {from} to {to} of {total} of the file “{name}”; it can read on.',
    row: 'The assistant got the rows {from} to {to} of {total} of the file “{name}”; it can read on.',
    character:
      'The assistant got the characters {from} to {to} of {total} of the file “{name}”; it can read on.',
    leftOut: 'Not read of the file “{name}”: {words}.',
  },
}

/** Returns the notice for the user about files that the model got in part or not at all, with reasons. */
export function notUsedNotice(
  notUsed: NotUsed[],
  lang: string,
  at: string,
  runId: string,
): Omit<Message, 'sequence'> {
  const content = notUsed.flatMap((file) => lines(file, lang)).join('\n')
  return { role: 'assistant', content, createdAt: at, notice: 'notUsed', notUsed, runId }
}

function lines({ name, state, leftOut, part }: NotUsed, lang: string): string[] {
  const extent = part?.total == null ? undefined : part
  const numbers = extent && numbersOf(extent, lang)
  const say = (sentence: keyof typeof sentences.en, words = '') =>
    fillIn(inLanguage(sentences, lang)[sentence], lang, { name, words, ...numbers })
  if (isAbsent(state)) return [say('absent', inLanguage(absentWords[state], lang))]
  const kinds = leftOut.map((kind) => inLanguage(leftOutWords[kind], lang)).join('; ')
  return [
    ...(state === 'truncated' ? [say(extent?.unit ?? 'beginning')] : []),
    ...(kinds === '' ? [] : [say('leftOut', kinds)]),
  ]
}

const uses = {
  absent: { en: 'Not used: {words}.' },
  sent: { en: 'Given to the assistant as it is.' },
  whole: { en: 'Read whole.' },
  truncated: { en: 'Read in part.' },
  sentAmount: { en: 'Given to the assistant as it is: {amount}.' },
  wholeAmount: { en: 'Read whole: {amount}.' },
  truncatedAmount: { en: 'Read in part: {amount}.' },
  sheets: { en: '{sheets} sheets' },
  leftOut: { en: 'Not read: {words}.' },
} as const
const amounts: Record<Unit, { all: English; part: English }> = {
  page: { all: { en: '{total} pages' }, part: { en: '{read} of {total} pages' } },
  slide: { all: { en: '{total} slides' }, part: { en: '{read} of {total} slides' } },
  row: { all: { en: '{total} rows' }, part: { en: '{read} of {total} rows' } },
  character: { all: { en: '{total} characters' }, part: { en: '{read} of {total} characters' } },
}

/** Returns the use of a file in a turn, for its user: `Read in part: 12 of 300 pages. Not read: pictures.` */
export function useWords({ state, leftOut, part, sheets }: FileUse, lang: string): string {
  const say = (sentence: English, values: Record<string, string | number> = {}) =>
    fillIn(inLanguage(sentence, lang), lang, values)
  if (isAbsent(state)) return say(uses.absent, { words: say(absentWords[state]) })
  const parts = [...(sheets ? [say(uses.sheets, { sheets })] : []), part ? amountOf(part, lang) : '']
  const amount = parts.filter((words) => words !== '').join(', ')
  const known = state === 'sent' || state === 'whole' ? state : 'truncated'
  const read = amount === '' ? say(uses[known]) : say(uses[`${known}Amount`], { amount })
  const kinds = leftOut.map((kind) => say(leftOutWords[kind])).join('; ')
  return kinds === '' ? read : `${read} ${say(uses.leftOut, { words: kinds })}`
}

/**
 * Returns the amount that was read, such as `12 of 300 pages`. Returns an empty text for a file of one page, row or
 * slide, and for a completely read text.
 */
function amountOf(extent: Extent, lang: string): string {
  const { unit, from, to, total } = extent
  const isAll = total === to - from + 1
  const words = amounts[unit]
  if (total === null || total < 2 || (isAll && unit === 'character')) return ''
  return fillIn(inLanguage(isAll ? words.all : words.part, lang), lang, numbersOf(extent, lang))
}

/** Returns the numbers of an extent in the form of the language: `258,218`. */
function numbersOf({ from, to, total }: Extent, lang: string) {
  const { format } = new Intl.NumberFormat(lang)
  return { from: format(from), to: format(to), read: format(to - from + 1), total: format(total ?? 0) }
}

const isAbsent = (state: FileState): state is Absent => state in absentWords
