import { inLanguage, type Translated } from './language.ts'

/**
 * Errors by their reader. A person reads a VisibleError, the retry loop a TransientError, the model a ToolError. Any
 * other error is a bug: it is logged under the request id and appears nowhere else.
 */

export type Kind =
  | 'invalid'
  | 'unauthenticated'
  | 'forbidden'
  | 'missing'
  | 'method'
  | 'conflict'
  | 'tooLarge'
  | 'unsupported'
  | 'unprocessable'
  | 'limit'
  | 'unavailable'
  | 'internal'

type Entry = { kind: Kind } & Translated

/** Every code that an answer can carry, with its kind and its sentence in the languages of the service. */
export const codes = {
  'request.invalid': {
    kind: 'invalid',
    en: 'The request is not valid.',
    de: 'Die Anfrage ist ungültig.',
  },
  'message.empty': {
    kind: 'invalid',
    en: 'Write a message or attach a file.',
    de: 'Schreiben Sie eine Nachricht oder hängen Sie eine Datei an.',
  },
  'message.tooLong': {
    kind: 'invalid',
    en: 'The message is too long. At most {max} characters are possible.',
    de: 'Die Nachricht ist zu lang. Möglich sind höchstens {max} Zeichen.',
  },
  'systemPrompt.tooLong': {
    kind: 'invalid',
    en: 'The instructions are too long. At most {max} characters are possible.',
    de: 'Die Anweisungen sind zu lang. Möglich sind höchstens {max} Zeichen.',
  },
  'session.missing': {
    kind: 'unauthenticated',
    en: 'Log in to go on.',
    de: 'Melden Sie sich an, um fortzufahren.',
  },
  'session.expired': {
    kind: 'unauthenticated',
    en: 'Your session has ended. Log in again.',
    de: 'Ihre Sitzung ist beendet. Melden Sie sich erneut an.',
  },
  'login.failed': {
    kind: 'unauthenticated',
    en: 'Username or password is wrong.',
    de: 'Benutzername oder Passwort ist falsch.',
  },
  'csrf.invalid': {
    kind: 'forbidden',
    en: 'The request could not be verified. Reload the page.',
    de: 'Die Anfrage konnte nicht geprüft werden. Laden Sie die Seite neu.',
  },
  'access.denied': {
    kind: 'forbidden',
    en: 'You may not use the AI chat. An administrator can give you access.',
    de: 'Sie dürfen den KI-Chat nicht benutzen. Ein Administrator kann Sie freischalten.',
  },
  'administrator.only': {
    kind: 'forbidden',
    en: 'Only administrators may do this.',
    de: 'Das dürfen nur Administratoren.',
  },
  'approval.notAllowed': {
    kind: 'forbidden',
    en: 'You may no longer decide this change.',
    de: 'Sie dürfen über diese Änderung nicht mehr entscheiden.',
  },
  'conversation.notFound': {
    kind: 'missing',
    en: 'This conversation does not exist.',
    de: 'Diese Unterhaltung gibt es nicht.',
  },
  'file.notFound': { kind: 'missing', en: 'This file does not exist.', de: 'Diese Datei gibt es nicht.' },
  'record.notFound': {
    kind: 'missing',
    en: 'This record does not exist, or you may not see it.',
    de: 'Diesen Datensatz gibt es nicht, oder Sie dürfen ihn nicht sehen.',
  },
  'record.notAllowed': {
    kind: 'forbidden',
    en: 'You may not change this record.',
    de: 'Sie dürfen diesen Datensatz nicht ändern.',
  },
  'record.changed': {
    kind: 'conflict',
    en: 'The record has changed meanwhile. Look at it again.',
    de: 'Der Datensatz hat sich inzwischen geändert. Sehen Sie ihn noch einmal an.',
  },
  'run.notFound': { kind: 'missing', en: 'This turn does not exist.', de: 'Diesen Schritt gibt es nicht.' },
  'connection.notFound': {
    kind: 'missing',
    en: 'There is no such server to connect.',
    de: 'Einen solchen Server zum Verbinden gibt es nicht.',
  },
  'connection.failed': {
    kind: 'unprocessable',
    en: 'The server could not be connected. Try again later, or ask an administrator.',
    de: 'Der Server ließ sich nicht verbinden. Versuchen Sie es später noch einmal oder fragen Sie einen Administrator.',
  },
  'connection.tokenRefused': {
    kind: 'unprocessable',
    en: 'The server does not accept this token.',
    de: 'Der Server nimmt dieses Token nicht an.',
  },
  'token.tooMany': {
    kind: 'conflict',
    en: 'At most {max} access tokens are possible. Revoke one first.',
    de: 'Möglich sind höchstens {max} Zugriffstoken. Widerrufen Sie zuerst eines.',
  },
  'token.throttled': {
    kind: 'limit',
    en: 'This access token is used too often. Try again later.',
    de: 'Dieses Zugriffstoken wird zu oft benutzt. Versuchen Sie es später noch einmal.',
  },
  'route.notFound': {
    kind: 'missing',
    en: 'There is nothing at this address.',
    de: 'Unter dieser Adresse gibt es nichts.',
  },
  'method.notAllowed': {
    kind: 'method',
    en: 'This address does not support the method.',
    de: 'Diese Adresse unterstützt die Methode nicht.',
  },
  'conversation.busy': {
    kind: 'conflict',
    en: 'The assistant is still working in this conversation.',
    de: 'Der Assistent arbeitet noch in dieser Unterhaltung.',
  },
  'conversation.changed': {
    kind: 'conflict',
    en: 'The conversation has changed meanwhile. Look at it again.',
    de: 'Die Unterhaltung hat sich inzwischen geändert. Sehen Sie sie noch einmal an.',
  },
  'approval.stale': {
    kind: 'conflict',
    en: 'The proposal has changed. Look at it again.',
    de: 'Der Vorschlag hat sich geändert. Sehen Sie ihn noch einmal an.',
  },
  'approval.refused': {
    kind: 'unprocessable',
    en: 'The record cannot be given these words. Keep the proposed ones, or write others.',
    de: 'Diese Wörter kann der Datensatz nicht bekommen. Behalten Sie die vorgeschlagenen oder schreiben Sie andere.',
  },
  'approval.notPending': {
    kind: 'conflict',
    en: 'There is nothing to decide any more.',
    de: 'Es gibt nichts mehr zu entscheiden.',
  },
  'conversation.notFailed': {
    kind: 'conflict',
    en: 'Only a failed answer can be tried again.',
    de: 'Nur eine fehlgeschlagene Antwort kann erneut versucht werden.',
  },
  'message.tooManyVersions': {
    kind: 'conflict',
    en: 'At most {max} earlier versions are kept. Begin a new conversation.',
    de: 'Höchstens {max} frühere Fassungen bleiben. Beginnen Sie eine neue Unterhaltung.',
  },
  'message.tooManyNext': {
    kind: 'conflict',
    en: 'At most {max} messages can wait. Remove one, or wait until one is sent.',
    de: 'Höchstens {max} Nachrichten können warten. Entfernen Sie eine oder warten Sie, bis eine gesendet ist.',
  },
  'mention.notFound': {
    kind: 'missing',
    en: 'Something that the message names is gone, or you may not see it. Remove it and send again.',
    de: 'Etwas, das die Nachricht nennt, gibt es nicht mehr, oder Sie dürfen es nicht sehen. Entfernen Sie es und senden Sie erneut.',
  },
  'prompt.notFound': {
    kind: 'missing',
    en: 'This prompt does not exist.',
    de: 'Diesen Prompt gibt es nicht.',
  },
  'prompt.tooMany': {
    kind: 'conflict',
    en: 'You can keep {max} prompts. Delete one first.',
    de: 'Sie können {max} Prompts behalten. Löschen Sie zuerst einen.',
  },
  'user.tooManyConversations': {
    kind: 'conflict',
    en: 'You have reached {max} conversations. Delete one first.',
    de: 'Sie haben {max} Unterhaltungen erreicht. Löschen Sie zuerst eine.',
  },
  'file.tooLarge': {
    kind: 'tooLarge',
    en: 'The file is too large. At most 20 MB are possible.',
    de: 'Die Datei ist zu groß. Möglich sind höchstens 20 MB.',
  },
  'request.tooLarge': {
    kind: 'tooLarge',
    en: 'The request is too large.',
    de: 'Die Anfrage ist zu groß.',
  },
  'file.unsupported': {
    kind: 'unsupported',
    en: 'Files of this type cannot be processed.',
    de: 'Dateien dieses Typs können nicht verarbeitet werden.',
  },
  'file.mismatch': {
    kind: 'unprocessable',
    en: 'The content of the file is not what its name or type say.',
    de: 'Der Inhalt der Datei passt nicht zu Name oder Typ.',
  },
  'file.unreadable': {
    kind: 'unprocessable',
    en: 'The file cannot be read. It may be empty, damaged, encrypted or contain macros.',
    de: 'Die Datei ist nicht lesbar. Sie ist leer, beschädigt, verschlüsselt oder enthält Makros.',
  },
  'file.limit': {
    kind: 'unprocessable',
    en: 'A conversation holds at most 5 files.',
    de: 'Eine Unterhaltung fasst höchstens 5 Dateien.',
  },
  'file.tooMany': {
    kind: 'unprocessable',
    en: 'You have uploaded {max} files without sending them. Send one, or wait: they are removed after a day.',
    de: 'Sie haben {max} Dateien hochgeladen und nicht gesendet. Senden Sie eine oder warten Sie: Nach einem Tag werden sie entfernt.',
  },
  'request.keyReused': {
    kind: 'unprocessable',
    en: 'This request was already made with other content.',
    de: 'Diese Anfrage wurde bereits mit anderem Inhalt gestellt.',
  },
  'user.tooManyActive': {
    kind: 'limit',
    en: 'The assistant already works for you in {max} conversations. Wait until one is done.',
    de: 'Der Assistent arbeitet für Sie schon in {max} Unterhaltungen. Warten Sie, bis eine fertig ist.',
  },
  'user.budgetSpent': {
    kind: 'limit',
    en: 'Your tokens for today are used up. It is possible again at midnight UTC.',
    de: 'Ihre Token für heute sind verbraucht. Ab Mitternacht UTC geht es wieder.',
  },
  'stage.budgetSpent': {
    kind: 'limit',
    en: 'The tokens of this installation for today are used up. It is possible again at midnight UTC.',
    de: 'Die Token dieser Installation sind für heute verbraucht. Ab Mitternacht UTC geht es wieder.',
  },
  'login.throttled': {
    kind: 'limit',
    en: 'Too many failed attempts. Try again later.',
    de: 'Zu viele Fehlversuche. Versuchen Sie es später noch einmal.',
  },
  'service.unavailable': {
    kind: 'unavailable',
    en: 'The service does not answer at the moment. Try again.',
    de: 'Der Dienst antwortet gerade nicht. Versuchen Sie es noch einmal.',
  },
  'service.maintenance': {
    kind: 'unavailable',
    en: 'The assistant is being maintained and takes no new tasks. Try again later.',
    de: 'Der Assistent wird gerade gewartet und nimmt keine neuen Aufgaben an. Versuchen Sie es später noch einmal.',
  },
  'service.busy': {
    kind: 'unavailable',
    en: 'The assistant has too much to do at the moment. Try again in a minute.',
    de: 'Der Assistent hat gerade zu viel zu tun. Versuchen Sie es in einer Minute noch einmal.',
  },
  'cms.unavailable': {
    kind: 'unavailable',
    en: 'The content management system does not answer at the moment. Try again.',
    de: 'Das Redaktionssystem antwortet gerade nicht. Versuchen Sie es noch einmal.',
  },
  'cms.misconfigured': {
    kind: 'unavailable',
    en: 'The connection to the content management system is not set up correctly. An administrator can see why.',
    de: 'Die Verbindung zum Redaktionssystem ist nicht richtig eingerichtet. Ein Administrator sieht, warum.',
  },
  'internal.error': {
    kind: 'internal',
    en: 'Something went wrong. Try again, or tell an administrator the reference.',
    de: 'Etwas ist schiefgegangen. Versuchen Sie es erneut oder nennen Sie einem Administrator die Referenz.',
  },
} as const satisfies Record<string, Entry>

export type Code = keyof typeof codes

type Details = {
  /** Values for the placeholders of the sentence. */
  params?: Record<string, string | number>
  /** What is wrong with which field of the request. */
  fields?: Record<string, string>
  /** Milliseconds after which the same request can succeed. */
  retryAfterMs?: number
  cause?: unknown
}

/** An expected refusal that a person reads: a code that a test can name, and a full sentence per language. */
export class VisibleError extends Error {
  readonly code: Code
  readonly kind: Kind
  readonly params: Record<string, string | number>
  readonly fields: Record<string, string> | undefined
  readonly retryAfterMs: number | undefined

  constructor(code: Code, details: Details = {}) {
    super(code, { cause: details.cause })
    this.name = 'VisibleError'
    this.code = code
    this.kind = codes[code].kind
    this.params = details.params ?? {}
    this.fields = details.fields
    this.retryAfterMs = details.retryAfterMs
  }
}

/** The sentence of a code in the reader's language, English where the language is not known. */
export function sentence(code: Code, lang: string, params: Record<string, string | number> = {}): string {
  const text = inLanguage(codes[code], lang)
  return text.replace(/\{(\w+)\}/g, (_, name: string) => String(params[name] ?? ''))
}

/** A failure of a provider that may pass by itself; thrown by adapters only, caught by their retry alone. */
export class TransientError extends Error {
  readonly retryAfterMs: number | undefined

  constructor(message: string, options: { retryAfterMs?: number; cause?: unknown } = {}) {
    super(message, { cause: options.cause })
    this.name = 'TransientError'
    this.retryAfterMs = options.retryAfterMs
  }
}

/** A refusal that the model reads as an error result, with a hint how to call better. Never ends a turn. */
export class ToolError extends Error {
  /** What became of the call, for all readers but the model. */
  readonly outcome:
    | 'notKnown'
    | 'notPermitted'
    | 'notValid'
    | 'refused'
    | 'missing'
    | 'denied'
    | 'notRun'
    | 'conflict'
    | 'unknown'

  constructor(
    content: string,
    { outcome = 'refused', cause }: { outcome?: ToolError['outcome']; cause?: unknown } = {},
  ) {
    super(content, { cause })
    this.name = 'ToolError'
    this.outcome = outcome
  }
}
