import { filled, inLanguage, type Translated } from '../../base/language.ts'
import type { LeftOut, Unit } from '../../file/document/schema.ts'
import type { FileState, Message, NotUsed } from './schema.ts'

/** The states of a file that is missing from the request. */
export type Absent = Exclude<FileState, 'sent' | 'whole' | 'truncated'>

/** Reasons why a file is missing from a request, as the end of the sentence `It is not used: …`. */
export const absentWords: Record<Absent, Translated> = {
  gone: { en: 'it no longer exists', de: 'sie existiert nicht mehr' },
  noVision: {
    en: 'the configured model cannot look at images',
    de: 'das eingestellte Sprachmodell kann keine Bilder ansehen',
  },
  refused: { en: 'the model provider refused it', de: 'der Anbieter des Sprachmodells hat sie abgelehnt' },
  badImage: {
    en: 'it is not an image that can be read',
    de: 'sie ist kein Bild, das sich lesen lässt',
  },
  noRoom: {
    en: 'it does not fit into the request beside the other files',
    de: 'sie passt neben den anderen Dateien nicht mehr in die Anfrage',
  },
  noText: {
    en: 'it has no text: it is empty, or a scan, and text in pictures is not recognised',
    de: 'sie hat keinen Text: Sie ist leer oder eingescannt, und Text in Bildern wird nicht erkannt',
  },
  unreadable: {
    en: 'its fonts do not say which characters their signs stand for, so that its text cannot be read',
    de: 'ihre Schriften sagen nicht, für welche Buchstaben ihre Zeichen stehen; der Text ist darum nicht lesbar',
  },
  protected: { en: 'it is protected by a password', de: 'sie ist mit einem Passwort geschützt' },
  macros: { en: 'it contains macros', de: 'sie enthält Makros' },
  damaged: {
    en: 'it is damaged and cannot be read',
    de: 'sie ist beschädigt und lässt sich nicht lesen',
  },
  tooLarge: {
    en: 'it is too large or too complex to be read',
    de: 'sie ist zu groß oder zu verwickelt, um gelesen zu werden',
  },
  tooSlow: { en: 'it took too long to read', de: 'sie zu lesen hat zu lange gedauert' },
}

/** The names of contents that the text of a document lacks. */
export const leftOutWords: Record<LeftOut, Translated> = {
  pictures: { en: 'pictures', de: 'Bilder' },
  recordings: { en: 'sound and video', de: 'Ton und Video' },
  charts: { en: 'charts and diagrams', de: 'Diagramme' },
  chartSheets: {
    en: 'sheets that hold one chart alone',
    de: 'Blätter, die nur ein Diagramm enthalten',
  },
  embeddedFiles: { en: 'files embedded in it', de: 'eingebettete Dateien' },
  pagesWithoutText: {
    en: 'pages without a text layer, blank or scanned',
    de: 'Seiten ohne Text, leer oder eingescannt',
  },
  unreadablePages: {
    en: 'pages whose fonts do not say which characters their signs stand for',
    de: 'Seiten, deren Schriften nicht sagen, für welche Buchstaben ihre Zeichen stehen',
  },
  dynamicForm: {
    en: 'a form that only its own viewer can show',
    de: 'ein Formular, das nur sein eigenes Programm zeigen kann',
  },
  columns: { en: 'columns beyond the 256th', de: 'Spalten nach der 256.' },
  cellComments: { en: 'comments on cells', de: 'Kommentare an Zellen' },
  trackedChanges: {
    en: 'text that was deleted while changes were tracked',
    de: 'Text, der bei verfolgten Änderungen gelöscht wurde',
  },
}

const sentences: Record<'absent' | 'beginning' | 'leftOut' | Unit, Translated> = {
  absent: {
    en: 'The file “{name}” was not used: {words}.',
    de: 'Die Datei „{name}“ wurde nicht verwendet: {words}.',
  },
  beginning: {
    en: 'Only the beginning of the file “{name}” was used.',
    de: 'Von der Datei „{name}“ wurde nur der Anfang verwendet.',
  },
  page: {
    en: 'Of the file “{name}” the pages {from} to {to} of {total} were sent along; the assistant can read on.',
    de: 'Von der Datei „{name}“ wurden die Seiten {from} bis {to} von {total} mitgegeben; der Assistent kann weiterlesen.',
  },
  slide: {
    en: 'Of the file “{name}” the slides {from} to {to} of {total} were sent along; the assistant can read on.',
    de: 'Von der Datei „{name}“ wurden die Folien {from} bis {to} von {total} mitgegeben; der Assistent kann weiterlesen.',
  },
  row: {
    en: 'Of the file “{name}” the rows {from} to {to} of {total} were sent along; the assistant can read on.',
    de: 'Von der Datei „{name}“ wurden die Zeilen {from} bis {to} von {total} mitgegeben; der Assistent kann weiterlesen.',
  },
  character: {
    en: 'Of the file “{name}” the characters {from} to {to} of {total} were sent along; the assistant can read on.',
    de: 'Von der Datei „{name}“ wurden die Zeichen {from} bis {to} von {total} mitgegeben; der Assistent kann weiterlesen.',
  },
  leftOut: {
    en: 'Not read of the file “{name}”: {words}.',
    de: 'Von der Datei „{name}“ wurde nicht gelesen: {words}.',
  },
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
