import { type Bilingual, inLanguage } from '../language.ts'
import type { Message, Notice } from './schema.ts'

/** The notices that stand on rows of their own, with a sentence for the user; such rows are never sent to a model. */
export type OwnNotice = Extract<
  Notice,
  'cancelled' | 'superseded' | 'expired' | 'refused' | 'shortened' | 'undone' | 'unreadable'
>

const sentences: Record<OwnNotice, Bilingual> = {
  cancelled: {
    en: 'Stopped. What was done until then is kept.',
    de: 'Angehalten. Was bis dahin geschehen ist, bleibt erhalten.',
  },
  superseded: {
    en: 'The proposal was withdrawn by your new message. Nothing was changed.',
    de: 'Der Vorschlag wurde durch Ihre neue Nachricht zurückgezogen. Es wurde nichts geändert.',
  },
  expired: {
    en: 'The proposal was not decided within 7 days and has expired. Nothing was changed.',
    de: 'Über den Vorschlag wurde nicht innerhalb von 7 Tagen entschieden. Es wurde nichts geändert.',
  },
  refused: {
    en: 'The language model declined to answer this.',
    de: 'Das Sprachmodell hat die Antwort abgelehnt.',
  },
  shortened: {
    en: 'This conversation is long: the oldest messages are no longer sent to the language model.',
    de: 'Diese Unterhaltung ist lang: Die ältesten Nachrichten erhält das Sprachmodell nicht mehr.',
  },
  undone: {
    en: 'The changes of this answer were taken back.',
    de: 'Die Änderungen dieser Antwort wurden zurückgenommen.',
  },
  unreadable: {
    en: 'This entry is damaged and cannot be shown.',
    de: 'Dieser Eintrag ist beschädigt und kann nicht gezeigt werden.',
  },
}

/** Whether a row is a reply of the model: neither a notice on its own nor somebody else's. */
export function isReply({ role, notice }: Pick<Message, 'role' | 'notice'>): boolean {
  return role === 'assistant' && (notice === undefined || !(notice in sentences))
}

/** The row of a notice, in the language of the conversation's owner; interfaces show it by its code. */
export function notice(name: OwnNotice, lang: string, at: string, runId?: string): Omit<Message, 'sequence'> {
  return {
    role: 'assistant',
    content: inLanguage(sentences[name], lang),
    createdAt: at,
    notice: name,
    ...(runId && { runId }),
  }
}
