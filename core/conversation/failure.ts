import type { Actor } from '../base/actor.ts'
import { inLanguage, type Translated } from '../base/language.ts'
import { redact } from '../base/safety/redact.ts'
import type { FailureCode } from './schema.ts'

/** A turn that failed: a code for clients, a sentence for the user, no more. */
export class Failure extends Error {
  readonly code: FailureCode

  constructor(code: FailureCode, message: string, options: { cause?: unknown } = {}) {
    super(message, options)
    this.name = 'Failure'
    this.code = code
  }
}

/**
 * The sentences are stored with the turn, in the language of its owner, for clients without texts of their own. The
 * interface has its own heading and text for each code (`failed.*` in `core/base/languages`), which match its buttons
 * and the language of the page.
 */
const sentences: Record<FailureCode, Translated> = {
  'chat.notConfigured': {
    en: 'The AI chat is not set up completely. An administrator can see what is missing.',
    de: 'Der KI-Chat ist nicht vollständig eingerichtet. Ein Administrator sieht, was fehlt.',
  },
  'model.unavailable': {
    en: 'The language model did not answer. What was done until then is kept.',
    de: 'Das Sprachmodell hat nicht geantwortet. Was bis dahin geschehen ist, bleibt erhalten.',
  },
  'model.unpaid': {
    en: 'The account with the provider of the language model has no credit left. An administrator has to top it up.',
    de: 'Das Konto beim Anbieter des Sprachmodells hat kein Guthaben mehr. Ein Administrator muss es aufladen.',
  },
  'model.rejected': {
    en: 'The language model rejected the request. What was done until then is kept.',
    de: 'Das Sprachmodell hat die Anfrage abgelehnt. Was bis dahin geschehen ist, bleibt erhalten.',
  },
  'model.unauthorized': {
    en: 'The language model did not accept the access data. An administrator can check them.',
    de: 'Das Sprachmodell hat die Zugangsdaten nicht angenommen. Ein Administrator kann sie prüfen.',
  },
  'model.tooLarge': {
    en: 'The conversation is too large for the language model. Start a new one, or remove a file.',
    de: 'Die Unterhaltung ist zu groß für das Sprachmodell. Beginnen Sie eine neue oder entfernen Sie eine Datei.',
  },
  'turn.stuck': {
    en: 'The answer made no progress for 5 minutes and was ended. What was done until then is kept.',
    de: 'Die Antwort machte 5 Minuten lang keine Fortschritte und wurde beendet. Was bis dahin geschehen ist, bleibt erhalten.',
  },
  'turn.notStarted': {
    en: 'The work on your message did not begin within 5 minutes. Your message is stored; try again.',
    de: 'Die Arbeit an Ihrer Nachricht hat innerhalb von 5 Minuten nicht begonnen. Ihre Nachricht ist gespeichert; versuchen Sie es erneut.',
  },
  'turn.tooLong': {
    en: 'The answer took too long and was ended. What was done until then is kept.',
    de: 'Die Antwort hat zu lange gedauert und wurde beendet. Was bis dahin geschehen ist, bleibt erhalten.',
  },
  'table.unavailable': {
    en: 'The database did not answer. What was done until then is kept; try again.',
    de: 'Die Datenbank hat nicht geantwortet. Was bis dahin geschehen ist, bleibt erhalten; versuchen Sie es erneut.',
  },
  'user.budgetSpent': {
    en: 'Your tokens for today are used up. It is possible again at midnight UTC.',
    de: 'Ihre Token für heute sind verbraucht. Ab Mitternacht UTC geht es wieder.',
  },
  'access.lost': {
    en: 'You may no longer use the AI chat. An administrator can give you access.',
    de: 'Sie dürfen den KI-Chat nicht mehr benutzen. Ein Administrator kann Sie freischalten.',
  },
  'cms.unavailable': {
    en: 'The content management system did not answer. What was done until then is kept; try again.',
    de: 'Das Redaktionssystem hat nicht geantwortet. Was bis dahin geschehen ist, bleibt erhalten; versuchen Sie es erneut.',
  },
  'cms.misconfigured': {
    en: 'The connection to the content management system is not set up correctly. What was done until then is kept.',
    de: 'Die Verbindung zum Redaktionssystem ist nicht richtig eingerichtet. Was bis dahin geschehen ist, bleibt erhalten.',
  },
  'internal.error': {
    en: 'Something went wrong. What was done until then is kept. Try again, or tell an administrator the reference.',
    de: 'Etwas ist schiefgegangen. Was bis dahin geschehen ist, bleibt erhalten. Versuchen Sie es erneut oder nennen Sie einem Administrator die Referenz.',
  },
}

/** The sentence that a user reads for a code, in their language; administrators also get the technical text. */
export function sentenceOf(
  code: FailureCode,
  actor: Pick<Actor, 'lang' | 'isAdmin'>,
  technical?: string,
): string {
  const sentence = inLanguage(sentences[code], actor.lang)
  if (!actor.isAdmin || !technical) return sentence
  return `${sentence} (${redact(technical).slice(0, 200)})`
}

/** Describes a mistake of the configuration: the technical text for administrators, one plain sentence for others. */
export function notConfigured(actor: Pick<Actor, 'lang' | 'isAdmin'>, technical: string): string {
  return sentenceOf('chat.notConfigured', actor, technical)
}
