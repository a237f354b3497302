import type { Code } from './error.ts'
import { type English, filled, inLanguage } from './language.ts'

/**
 * The sentence for people for each error code. A process imports this file only at its first error for a person,
 * because most requests have no such error.
 */
const sentences: Record<Code, English> = {
  'request.invalid': { en: 'The request is not valid.' },
  'message.empty': { en: 'Write a message or attach a file.' },
  'message.tooLong': { en: 'The message is too long. At most {max} characters are possible.' },
  'systemPrompt.tooLong': { en: 'The instructions are too long. At most {max} characters are possible.' },
  'session.missing': { en: 'Log in to go on.' },
  'session.expired': { en: 'Your session has ended. Log in again.' },
  'login.failed': { en: 'Username or password is wrong.' },
  'login.clock': {
    en: 'The clocks of this website and of the chat differ by more than two minutes. Ask your administrator to set them.',
  },
  'csrf.invalid': { en: 'The request could not be verified. Reload the page.' },
  'origin.notAllowed': {
    en: 'Requests of this origin are not taken. An administrator can add it to embedOrigins.',
  },
  'access.denied': { en: 'You may not use the AI chat. An administrator can give you access.' },
  'administrator.only': { en: 'Only administrators may do this.' },
  'approval.notAllowed': { en: 'You may no longer decide this change.' },
  'conversation.notFound': { en: 'This conversation does not exist.' },
  'file.notFound': { en: 'This file does not exist.' },
  'record.notFound': { en: 'This record does not exist, or you may not see it.' },
  'record.notAllowed': { en: 'You may not change this record.' },
  'record.changed': { en: 'The record has changed meanwhile. Look at it again.' },
  'run.notFound': { en: 'This turn does not exist.' },
  'connection.notFound': { en: 'There is no such server to connect.' },
  'connection.failed': { en: 'The server could not be connected. Try again later, or ask an administrator.' },
  'connection.tokenRefused': { en: 'The server does not accept this token.' },
  'token.tooMany': { en: 'At most {max} access tokens are possible. Revoke one first.' },
  'token.throttled': { en: 'This access token is used too often. Try again later.' },
  'route.notFound': { en: 'There is nothing at this address.' },
  'method.notAllowed': { en: 'This address does not support the method.' },
  'conversation.busy': { en: 'The assistant is still working in this conversation.' },
  'conversation.changed': { en: 'The conversation has changed meanwhile. Look at it again.' },
  'approval.stale': { en: 'The proposal has changed. Look at it again.' },
  'approval.refused': {
    en: 'The record cannot be given these words. Keep the proposed ones, or write others.',
  },
  'approval.unchanged': {
    en: 'The record already says this: nothing would change. Deny the proposal, or write other words.',
  },
  'approval.notPending': { en: 'There is nothing to decide any more.' },
  'conversation.notFailed': { en: 'Only a failed answer can be tried again.' },
  'message.tooManyVersions': { en: 'At most {max} earlier versions are kept. Begin a new conversation.' },
  'message.tooManyNext': { en: 'At most {max} messages can wait. Remove one, or wait until one is sent.' },
  'mention.notFound': {
    en: 'Something that the message names is gone, or you may not see it. Remove it and send again.',
  },
  'prompt.notFound': { en: 'This prompt does not exist.' },
  'prompt.tooMany': { en: 'You can keep {max} prompts. Delete one first.' },
  'user.tooManyConversations': { en: 'You have reached {max} conversations. Delete one first.' },
  'file.tooLarge': { en: 'The file is too large. At most 20 MB are possible.' },
  'request.tooLarge': { en: 'The request is too large.' },
  'file.unsupported': { en: 'Files of this type cannot be processed.' },
  'file.mismatch': { en: 'The content of the file is not what its name or type say.' },
  'file.unreadable': {
    en: 'The file cannot be read. It may be empty, damaged, encrypted or contain macros.',
  },
  'file.limit': { en: 'A conversation holds at most 5 files.' },
  'file.tooMany': {
    en: 'You have uploaded {max} files without sending them. Send one, or wait: they are removed after a day.',
  },
  'request.keyReused': { en: 'This request was already made with other content.' },
  'user.tooManyActive': {
    en: 'The assistant already works for you in as many conversations as it may at once: {max}. Wait until one is done.',
  },
  'user.budgetSpent': { en: 'Your tokens for today are used up. It is possible again at midnight UTC.' },
  'stage.budgetSpent': {
    en: 'The tokens of this installation for today are used up. It is possible again at midnight UTC.',
  },
  'login.throttled': { en: 'Too many failed attempts. Try again later.' },
  'service.unavailable': { en: 'The service does not answer at the moment. Try again.' },
  'service.maintenance': { en: 'The assistant is being maintained and takes no new tasks. Try again later.' },
  'service.busy': { en: 'The assistant has too much to do at the moment. Try again in a minute.' },
  'cms.unavailable': { en: 'The content management system does not answer at the moment. Try again.' },
  'cms.misconfigured': {
    en: 'The connection to the content management system is not set up correctly. An administrator can see why.',
  },
  'internal.error': { en: 'Something went wrong. Try again, or tell an administrator the reference.' },
}

/** Returns the sentence of a code in the reader's language; English for an unsupported language. */
export function sentence(code: Code, lang: string, params: Record<string, string | number> = {}): string {
  return filled(inLanguage(sentences[code], lang), lang, params)
}
