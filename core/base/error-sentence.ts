import type { Code } from './error.ts'
import { type English, fillIn, inLanguage } from './language.ts'

/**
 * The sentence for people for each error code. A process imports this file only at its first error for a person,
 * because most requests have no such error.
 */
const sentences: English<Record<Code, string>> = {
  en: {
    'request.invalid': 'The request is not valid.',
    'message.empty': 'Write a message or attach a file.',
    'message.tooLong': 'The message is too long. At most {max} characters are possible.',
    'systemPrompt.tooLong': 'The instructions are too long. At most {max} characters are possible.',
    'session.missing': 'Log in to go on.',
    'session.expired': 'Your session has ended. Log in again.',
    'login.failed': 'Username or password is wrong.',
    'login.clock':
      'The clocks of this website and of the chat differ by more than two minutes. Ask your administrator to set them.',
    'csrf.invalid': 'The request could not be verified. Reload the page.',
    'origin.notAllowed':
      'This website may not use the chat. An administrator can add its origin to embedOrigins.',
    'access.denied': 'You may not use the AI chat. An administrator can give you access.',
    'administrator.only': 'Only administrators may do this.',
    'approval.notAllowed': 'You may no longer decide this change.',
    'conversation.notFound': 'This conversation does not exist.',
    'file.notFound': 'This file does not exist.',
    'record.notFound': 'This record does not exist, or you may not see it.',
    'record.notAllowed': 'You may not change this record.',
    'record.changed': 'The record has changed meanwhile. Look at it again.',
    'run.notFound': 'This answer does not exist.',
    'connection.notFound': 'There is no such server to connect.',
    'connection.failed': 'The server could not be connected. Try again later, or ask an administrator.',
    'connection.tokenRefused': 'The server does not accept this token.',
    'token.tooMany': 'At most {max} access tokens are possible. Revoke one first.',
    'token.throttled': 'Too many requests with this access token or from this network. Try again later.',
    'route.notFound': 'There is nothing at this address.',
    'method.notAllowed': 'This address does not support the method.',
    'conversation.busy': 'The assistant is still working in this conversation.',
    'conversation.changed': 'The conversation has changed meanwhile. Look at it again.',
    'approval.stale': 'The proposal has changed. Look at it again.',
    'approval.refused': 'The record does not accept these words. Keep the proposed ones, or write others.',
    'approval.unchanged':
      'The record already says this: nothing would change. Deny the proposal, or write other words.',
    'approval.notPending': 'There is nothing to decide any more.',
    'conversation.notFailed': 'Only a failed answer can be tried again.',
    'message.tooManyVersions': 'At most {max} earlier versions are kept. Begin a new conversation.',
    'message.tooManyNext': 'At most {max} messages can wait. Remove one, or wait until one is sent.',
    'mention.notFound':
      'Something that the message names is gone, or you may not see it. Remove it and send again.',
    'prompt.notFound': 'This prompt does not exist.',
    'prompt.tooMany': 'You can keep {max} prompts. Delete one first.',
    'user.tooManyConversations': 'You have reached {max} conversations. Delete one first.',
    'file.tooLarge': 'The file is too large. At most 20 MB are possible.',
    'request.tooLarge': 'The request is too large.',
    'file.unsupported': 'Files of this type cannot be processed.',
    'file.mismatch': 'The content of the file is not what its name or type says.',
    'file.unreadable': 'The file cannot be read. It may be empty, damaged, encrypted or contain macros.',
    'file.limit': 'A conversation holds at most 5 files.',
    'file.tooMany':
      'You have uploaded {max} files without sending them. Send one, or wait: they are removed after a day.',
    'request.keyReused': 'This request was already made with other content.',
    'user.tooManyActive':
      'The assistant already works for you in as many conversations as it may at once: {max}. Wait until one is done.',
    'user.budgetSpent': 'Your tokens for today are used up. It is possible again at midnight UTC.',
    'stage.budgetSpent':
      'The tokens of this installation for today are used up. It is possible again at midnight UTC.',
    'login.throttled': 'Too many failed attempts. Try again later.',
    'service.unavailable': 'The service does not answer at the moment. Try again.',
    'service.maintenance': 'The assistant is being maintained and takes no new tasks. Try again later.',
    'service.busy': 'The assistant has too much to do at the moment. Try again in a minute.',
    'cms.unavailable': 'The content management system does not answer at the moment. Try again.',
    'cms.misconfigured':
      'The connection to the content management system is not set up correctly. An administrator can see why.',
    'internal.error': 'Something went wrong. Try again, or tell an administrator the reference.',
  },
}

/** Returns the sentence of a code in the reader's language; English for an unsupported language. */
export function sentence(code: Code, lang: string, params: Record<string, string | number> = {}): string {
  return fillIn(inLanguage(sentences, lang)[code], lang, params)
}
