import type { Code } from '../base/error.ts'
import { VisibleError } from '../base/error.ts'
import { inLanguage, type Translated } from '../base/language.ts'

/** Reasons why a file is refused, as texts for the user who chose it; the code sets the HTTP status. */
const reasons = {
  empty: {
    code: 'file.unreadable',
    en: 'The file is empty.',
    de: 'Die Datei ist leer.',
  },
  tooLarge: {
    code: 'file.tooLarge',
    en: 'The file is larger than 20 MB.',
    de: 'Die Datei ist größer als 20 MB.',
  },
  unsupported: {
    code: 'file.unsupported',
    en: 'Files of this type cannot be processed. Possible are: {formats}.',
    de: 'Dateien dieses Typs können nicht verarbeitet werden. Möglich sind: {formats}.',
  },
  oldFormat: {
    code: 'file.unsupported',
    en: 'Files of this type cannot be read. Save it as {formats}.',
    de: 'Dateien dieses Typs sind nicht lesbar. Speichern Sie die Datei als {formats}.',
  },
  type: {
    code: 'file.mismatch',
    en: 'The declared type does not fit the file name.',
    de: 'Der angegebene Typ passt nicht zum Dateinamen.',
  },
  content: {
    code: 'file.mismatch',
    en: 'The content is not what the file name says. Save the file in the right format.',
    de: 'Der Inhalt ist nicht, was der Dateiname sagt. Speichern Sie die Datei im richtigen Format.',
  },
  macros: {
    code: 'file.unreadable',
    en: 'The document contains macros. Save it without macros.',
    de: 'Das Dokument enthält Makros. Speichern Sie es ohne Makros.',
  },
  encrypted: {
    code: 'file.unreadable',
    en: 'The file is encrypted or protected. Save it without protection.',
    de: 'Die Datei ist verschlüsselt oder geschützt. Speichern Sie sie ohne Schutz.',
  },
  oldOffice: {
    code: 'file.unreadable',
    en: 'This is an old or an encrypted Office file. Save it as DOCX, XLSX or PPTX, without a password.',
    de: 'Das ist eine alte oder verschlüsselte Office-Datei. Speichern Sie sie als DOCX, XLSX oder PPTX ohne Passwort.',
  },
  damaged: {
    code: 'file.unreadable',
    en: 'The file is damaged or incomplete.',
    de: 'Die Datei ist beschädigt oder unvollständig.',
  },
  bomb: {
    code: 'file.unreadable',
    en: 'The document is too large when it is unpacked.',
    de: 'Das Dokument ist entpackt zu groß.',
  },
  pixels: {
    code: 'file.unreadable',
    en: 'The picture has more than 100 megapixels. Scale it down.',
    de: 'Das Bild hat mehr als 100 Megapixel. Verkleinern Sie es.',
  },
} as const satisfies Record<string, { code: Code } & Translated>

export type Reason = keyof typeof reasons

/** The error for a refused file, with its reason in the reader's language under `fields.file`. */
export function refused(reason: Reason, lang: string, supported: readonly string[] = []): VisibleError {
  const { code, ...text } = reasons[reason]
  const sentence = inLanguage(text, lang).replace('{formats}', supported.join(', '))
  return new VisibleError(code, { fields: { file: sentence } })
}
