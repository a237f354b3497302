import { type English, filled, inLanguage } from '../../base/language.ts'
import type { LeftOut, Unit } from '../../file/document/schema.ts'
import type { FileState, Message, NotUsed } from './schema.ts'

/** The states of a file that is missing from the request. */
export type Absent = Exclude<FileState, 'sent' | 'whole' | 'truncated'>

/** Reasons why a file is missing from a request, as the end of the sentence `It is not used: …`. */
export const absentWords: Record<Absent, English> = {
  gone: { en: 'it no longer exists' },
  noVision: { en: 'the configured model cannot look at images' },
  refused: { en: 'the model provider refused it' },
  badImage: { en: 'it is not an image that can be read' },
  noRoom: { en: 'it does not fit into the request beside the other files' },
  noText: { en: 'it has no text: it is empty, or a scan, and text in pictures is not recognised' },
  unreadable: {
    en: 'its fonts do not say which characters their signs stand for, so that its text cannot be read',
  },
  protected: { en: 'it is protected by a password' },
  macros: { en: 'it contains macros' },
  damaged: { en: 'it is damaged and cannot be read' },
  tooLarge: { en: 'it is too large or too complex to be read' },
  tooSlow: { en: 'it took too long to read' },
}

/** The names of contents that the text of a document lacks. */
export const leftOutWords: Record<LeftOut, English> = {
  pictures: { en: 'pictures' },
  recordings: { en: 'sound and video' },
  charts: { en: 'charts and diagrams' },
  chartSheets: { en: 'sheets that hold one chart alone' },
  embeddedFiles: { en: 'files embedded in it' },
  pagesWithoutText: { en: 'pages without a text layer, blank or scanned' },
  unreadablePages: { en: 'pages whose fonts do not say which characters their signs stand for' },
  dynamicForm: { en: 'a form that only its own viewer can show' },
  columns: { en: 'columns beyond the 256th' },
  cellComments: { en: 'comments on cells' },
  trackedChanges: { en: 'text that was deleted while changes were tracked' },
}

const sentences: Record<'absent' | 'beginning' | 'leftOut' | Unit, English> = {
  absent: { en: 'The file “{name}” was not used: {words}.' },
  beginning: { en: 'Only the beginning of the file “{name}” was used.' },
  page: {
    en: 'Of the file “{name}” the pages {from} to {to} of {total} were sent along; the assistant can read on.',
  },
  slide: {
    en: 'Of the file “{name}” the slides {from} to {to} of {total} were sent along; the assistant can read on.',
  },
  row: {
    en: 'Of the file “{name}” the rows {from} to {to} of {total} were sent along; the assistant can read on.',
  },
  character: {
    en: 'Of the file “{name}” the characters {from} to {to} of {total} were sent along; the assistant can read on.',
  },
  leftOut: { en: 'Not read of the file “{name}”: {words}.' },
}

/** The notice for the user about files that the model got in part or not at all, with the reasons. */
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
  const extent = part?.total == null ? undefined : { ...part, total: part.total }
  const say = (sentence: keyof typeof sentences, words = '') =>
    filled(inLanguage(sentences[sentence], lang), lang, { name, words, ...extent })
  if (isAbsent(state)) return [say('absent', inLanguage(absentWords[state], lang))]
  const kinds = leftOut.map((kind) => inLanguage(leftOutWords[kind], lang)).join('; ')
  return [
    ...(state === 'truncated' ? [say(extent?.unit ?? 'beginning')] : []),
    ...(kinds === '' ? [] : [say('leftOut', kinds)]),
  ]
}

const isAbsent = (state: FileState): state is Absent => state in absentWords
