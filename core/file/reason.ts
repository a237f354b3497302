import { type Code, VisibleError } from '../base/error.ts'
import { type English, inLanguage } from '../base/language.ts'

/** Reasons why a file is refused, as texts for the user who chose it; the code sets the HTTP status. */
const fileReasons = {
  empty: { code: 'file.unreadable', en: 'The file is empty.' },
  tooLarge: { code: 'file.tooLarge', en: 'The file is larger than 20 MB.' },
  unsupported: {
    code: 'file.unsupported',
    en: 'Files of this type cannot be processed. Possible are: {formats}.',
  },
  oldFormat: { code: 'file.unsupported', en: 'Files of this type cannot be read. Save it as {formats}.' },
  type: { code: 'file.mismatch', en: 'The declared type does not fit the file name.' },
  content: {
    code: 'file.mismatch',
    en: 'The content is not what the file name says. Save the file in the right format.',
  },
  macros: { code: 'file.unreadable', en: 'The document contains macros. Save it without macros.' },
  encrypted: {
    code: 'file.unreadable',
    en: 'The file is encrypted or protected. Save it without protection.',
  },
  oldOffice: {
    code: 'file.unreadable',
    en: 'This is an old or an encrypted Office file. Save it as DOCX, XLSX or PPTX, without a password.',
  },
  damaged: { code: 'file.unreadable', en: 'The file is damaged or incomplete.' },
  bomb: { code: 'file.unreadable', en: 'The document is too large when it is unpacked.' },
  pixels: { code: 'file.unreadable', en: 'The picture has more than 100 megapixels. Scale it down.' },
} as const satisfies Record<string, { code: Code } & English>

export type Reason = keyof typeof fileReasons

/** Returns the error for a refused file, with its reason in the reader's language under `fields.file`. */
export function fileRefusal(reason: Reason, lang: string, supported: readonly string[] = []): VisibleError {
  const { code, ...text } = fileReasons[reason]
  const sentence = inLanguage(text, lang).replace('{formats}', supported.join(', '))
  return new VisibleError(code, { fields: { file: sentence } })
}
