import type { Code } from './error.ts'
import { own } from './json.ts'
import { inLanguage, type Translated } from './language.ts'

/**
 * The sentences for people by code, in English and German. A process loads this file with its first error for a
 * person: most requests have none.
 */
const sentences: Record<Code, Translated> = {
  'request.invalid': {
    en: 'The request is not valid.',
    de: 'Die Anfrage ist ungültig.',
  },
  'message.empty': {
    en: 'Write a message or attach a file.',
    de: 'Schreiben Sie eine Nachricht oder hängen Sie eine Datei an.',
  },
  'message.tooLong': {
    en: 'The message is too long. At most {max} characters are possible.',
    de: 'Die Nachricht ist zu lang. Möglich sind höchstens {max} Zeichen.',
  },
  'systemPrompt.tooLong': {
    en: 'The instructions are too long. At most {max} characters are possible.',
    de: 'Die Anweisungen sind zu lang. Möglich sind höchstens {max} Zeichen.',
  },
  'session.missing': {
    en: 'Log in to go on.',
    de: 'Melden Sie sich an, um fortzufahren.',
  },
  'session.expired': {
    en: 'Your session has ended. Log in again.',
    de: 'Ihre Sitzung ist beendet. Melden Sie sich erneut an.',
  },
  'login.failed': {
    en: 'Username or password is wrong.',
    de: 'Benutzername oder Passwort ist falsch.',
  },
  'login.clock': {
    en: 'The clocks of this website and of the chat differ by more than two minutes. Ask your administrator to set them.',
    de: 'Die Uhren dieser Website und des Chats gehen um mehr als zwei Minuten auseinander. Bitten Sie Ihren Administrator, sie zu stellen.',
  },
  'csrf.invalid': {
    en: 'The request could not be verified. Reload the page.',
    de: 'Die Anfrage konnte nicht geprüft werden. Laden Sie die Seite neu.',
  },
  'origin.notAllowed': {
    en: 'Requests of this origin are not taken. An administrator can add it to embedOrigins.',
    de: 'Anfragen von diesem Ursprung werden nicht angenommen. Ein Administrator kann ihn in embedOrigins eintragen.',
  },
  'access.denied': {
    en: 'You may not use the AI chat. An administrator can give you access.',
    de: 'Sie dürfen den KI-Chat nicht benutzen. Ein Administrator kann Sie freischalten.',
  },
  'administrator.only': {
    en: 'Only administrators may do this.',
    de: 'Das dürfen nur Administratoren.',
  },
  'approval.notAllowed': {
    en: 'You may no longer decide this change.',
    de: 'Sie dürfen über diese Änderung nicht mehr entscheiden.',
  },
  'conversation.notFound': {
    en: 'This conversation does not exist.',
    de: 'Diese Unterhaltung gibt es nicht.',
  },
  'file.notFound': {
    en: 'This file does not exist.',
    de: 'Diese Datei gibt es nicht.',
  },
  'record.notFound': {
    en: 'This record does not exist, or you may not see it.',
    de: 'Diesen Datensatz gibt es nicht, oder Sie dürfen ihn nicht sehen.',
  },
  'record.notAllowed': {
    en: 'You may not change this record.',
    de: 'Sie dürfen diesen Datensatz nicht ändern.',
  },
  'record.changed': {
    en: 'The record has changed meanwhile. Look at it again.',
    de: 'Der Datensatz hat sich inzwischen geändert. Sehen Sie ihn noch einmal an.',
  },
  'run.notFound': {
    en: 'This turn does not exist.',
    de: 'Diesen Schritt gibt es nicht.',
  },
  'connection.notFound': {
    en: 'There is no such server to connect.',
    de: 'Einen solchen Server zum Verbinden gibt es nicht.',
  },
  'connection.failed': {
    en: 'The server could not be connected. Try again later, or ask an administrator.',
    de: 'Der Server ließ sich nicht verbinden. Versuchen Sie es später noch einmal oder fragen Sie einen Administrator.',
  },
  'connection.tokenRefused': {
    en: 'The server does not accept this token.',
    de: 'Der Server nimmt dieses Token nicht an.',
  },
  'token.tooMany': {
    en: 'At most {max} access tokens are possible. Revoke one first.',
    de: 'Möglich sind höchstens {max} Zugriffstoken. Widerrufen Sie zuerst eines.',
  },
  'token.throttled': {
    en: 'This access token is used too often. Try again later.',
    de: 'Dieses Zugriffstoken wird zu oft benutzt. Versuchen Sie es später noch einmal.',
  },
  'route.notFound': {
    en: 'There is nothing at this address.',
    de: 'Unter dieser Adresse gibt es nichts.',
  },
  'method.notAllowed': {
    en: 'This address does not support the method.',
    de: 'Diese Adresse unterstützt die Methode nicht.',
  },
  'conversation.busy': {
    en: 'The assistant is still working in this conversation.',
    de: 'Der Assistent arbeitet noch in dieser Unterhaltung.',
  },
  'conversation.changed': {
    en: 'The conversation has changed meanwhile. Look at it again.',
    de: 'Die Unterhaltung hat sich inzwischen geändert. Sehen Sie sie noch einmal an.',
  },
  'approval.stale': {
    en: 'The proposal has changed. Look at it again.',
    de: 'Der Vorschlag hat sich geändert. Sehen Sie ihn noch einmal an.',
  },
  'approval.refused': {
    en: 'The record cannot be given these words. Keep the proposed ones, or write others.',
    de: 'Diese Wörter kann der Datensatz nicht bekommen. Behalten Sie die vorgeschlagenen oder schreiben Sie andere.',
  },
  'approval.unchanged': {
    en: 'The record already says this: nothing would change. Deny the proposal, or write other words.',
    de: 'Das steht schon im Datensatz: Es würde sich nichts ändern. Lehnen Sie den Vorschlag ab, oder schreiben Sie andere Wörter.',
  },
  'approval.notPending': {
    en: 'There is nothing to decide any more.',
    de: 'Es gibt nichts mehr zu entscheiden.',
  },
  'conversation.notFailed': {
    en: 'Only a failed answer can be tried again.',
    de: 'Nur eine fehlgeschlagene Antwort kann erneut versucht werden.',
  },
  'message.tooManyVersions': {
    en: 'At most {max} earlier versions are kept. Begin a new conversation.',
    de: 'Höchstens {max} frühere Fassungen bleiben. Beginnen Sie eine neue Unterhaltung.',
  },
  'message.tooManyNext': {
    en: 'At most {max} messages can wait. Remove one, or wait until one is sent.',
    de: 'Höchstens {max} Nachrichten können warten. Entfernen Sie eine oder warten Sie, bis eine gesendet ist.',
  },
  'mention.notFound': {
    en: 'Something that the message names is gone, or you may not see it. Remove it and send again.',
    de: 'Etwas, das die Nachricht nennt, gibt es nicht mehr, oder Sie dürfen es nicht sehen. Entfernen Sie es und senden Sie erneut.',
  },
  'prompt.notFound': {
    en: 'This prompt does not exist.',
    de: 'Diesen Prompt gibt es nicht.',
  },
  'prompt.tooMany': {
    en: 'You can keep {max} prompts. Delete one first.',
    de: 'Sie können {max} Prompts behalten. Löschen Sie zuerst einen.',
  },
  'user.tooManyConversations': {
    en: 'You have reached {max} conversations. Delete one first.',
    de: 'Sie haben {max} Unterhaltungen erreicht. Löschen Sie zuerst eine.',
  },
  'file.tooLarge': {
    en: 'The file is too large. At most 20 MB are possible.',
    de: 'Die Datei ist zu groß. Möglich sind höchstens 20 MB.',
  },
  'request.tooLarge': {
    en: 'The request is too large.',
    de: 'Die Anfrage ist zu groß.',
  },
  'file.unsupported': {
    en: 'Files of this type cannot be processed.',
    de: 'Dateien dieses Typs können nicht verarbeitet werden.',
  },
  'file.mismatch': {
    en: 'The content of the file is not what its name or type say.',
    de: 'Der Inhalt der Datei passt nicht zu Name oder Typ.',
  },
  'file.unreadable': {
    en: 'The file cannot be read. It may be empty, damaged, encrypted or contain macros.',
    de: 'Die Datei ist nicht lesbar. Sie ist leer, beschädigt, verschlüsselt oder enthält Makros.',
  },
  'file.limit': {
    en: 'A conversation holds at most 5 files.',
    de: 'Eine Unterhaltung fasst höchstens 5 Dateien.',
  },
  'file.tooMany': {
    en: 'You have uploaded {max} files without sending them. Send one, or wait: they are removed after a day.',
    de: 'Sie haben {max} Dateien hochgeladen und nicht gesendet. Senden Sie eine oder warten Sie: Nach einem Tag werden sie entfernt.',
  },
  'request.keyReused': {
    en: 'This request was already made with other content.',
    de: 'Diese Anfrage wurde bereits mit anderem Inhalt gestellt.',
  },
  'user.tooManyActive': {
    en: 'The assistant already works for you in {max} conversations. Wait until one is done.',
    de: 'Der Assistent arbeitet für Sie schon in {max} Unterhaltungen. Warten Sie, bis eine fertig ist.',
  },
  'user.budgetSpent': {
    en: 'Your tokens for today are used up. It is possible again at midnight UTC.',
    de: 'Ihre Token für heute sind verbraucht. Ab Mitternacht UTC geht es wieder.',
  },
  'stage.budgetSpent': {
    en: 'The tokens of this installation for today are used up. It is possible again at midnight UTC.',
    de: 'Die Token dieser Installation sind für heute verbraucht. Ab Mitternacht UTC geht es wieder.',
  },
  'login.throttled': {
    en: 'Too many failed attempts. Try again later.',
    de: 'Zu viele Fehlversuche. Versuchen Sie es später noch einmal.',
  },
  'service.unavailable': {
    en: 'The service does not answer at the moment. Try again.',
    de: 'Der Dienst antwortet gerade nicht. Versuchen Sie es noch einmal.',
  },
  'service.maintenance': {
    en: 'The assistant is being maintained and takes no new tasks. Try again later.',
    de: 'Der Assistent wird gerade gewartet und nimmt keine neuen Aufgaben an. Versuchen Sie es später noch einmal.',
  },
  'service.busy': {
    en: 'The assistant has too much to do at the moment. Try again in a minute.',
    de: 'Der Assistent hat gerade zu viel zu tun. Versuchen Sie es in einer Minute noch einmal.',
  },
  'cms.unavailable': {
    en: 'The content management system does not answer at the moment. Try again.',
    de: 'Das Redaktionssystem antwortet gerade nicht. Versuchen Sie es noch einmal.',
  },
  'cms.misconfigured': {
    en: 'The connection to the content management system is not set up correctly. An administrator can see why.',
    de: 'Die Verbindung zum Redaktionssystem ist nicht richtig eingerichtet. Ein Administrator sieht, warum.',
  },
  'internal.error': {
    en: 'Something went wrong. Try again, or tell an administrator the reference.',
    de: 'Etwas ist schiefgegangen. Versuchen Sie es erneut oder nennen Sie einem Administrator die Referenz.',
  },
}

/** The sentence of a code in the reader's language; English for an unsupported language. */
export function sentence(code: Code, lang: string, params: Record<string, string | number> = {}): string {
  const text = inLanguage(sentences[code], lang)
  return text.replace(/\{(\w+)\}/g, (_, name: string) => String(own(params, name) ?? ''))
}
