import type { Actor } from '../base/actor.ts'
import { type English, fillIn, inLanguage } from '../base/language.ts'
import { redact } from '../base/safety/redact.ts'
import type { FailureCode } from './schema.ts'

/** The time without progress after which a turn has failed with `turn.stuck`, in milliseconds. */
export const stuckMs = 5 * 60_000

/** The name of the figure in `get_system_status` that counts the turns without progress for `stuckMs`. */
export const stuckFigure = 'Turns: without progress'

/** The failure of a turn, with a code for clients. The message is for administrators. */
export class Failure extends Error {
  readonly code: FailureCode

  constructor(code: FailureCode, message: string, options: { cause?: unknown } = {}) {
    super(message, options)
    this.name = 'Failure'
    this.code = code
  }
}

/**
 * The sentences of the codes, for clients without texts of their own. A turn stores its sentence in the owner's
 * language. The interface has its own heading and text for each code (`failed.*` in `core/base/languages`). They match
 * its buttons and language.
 */
const sentences: English<Record<FailureCode, string>> = {
  en: {
    'chat.notConfigured': 'The AI chat is not set up completely. An administrator can see what is missing.',
    'model.unavailable': 'The language model did not answer. What was done until then is kept.',
    'model.unpaid':
      'The account with the provider of the language model has no credit left. An administrator has to top it up.',
    'model.rejected': 'The language model rejected the request. What was done until then is kept.',
    'model.unauthorized':
      'The language model did not accept the access data. An administrator can check them.',
    'model.tooLarge':
      'The conversation is too large for the language model. Start a new one, or remove a file.',
    'turn.stuck':
      'The answer made no progress for {minutes} minutes and was ended. What was done until then is kept.',
    'turn.notStarted':
      'The work on your message did not begin within {minutes} minutes. Your message is stored; try again.',
    'turn.tooLong': 'The answer took too long and was ended. What was done until then is kept.',
    'table.unavailable': 'The database did not answer. What was done until then is kept; try again.',
    'user.budgetSpent': 'Your tokens for today are used up. It is possible again at midnight UTC.',
    'access.lost': 'You may no longer use the AI chat. An administrator can give you access.',
    'cms.unavailable':
      'The content management system did not answer. What was done until then is kept; try again.',
    'cms.misconfigured':
      'The connection to the content management system is not set up correctly. What was done until then is kept.',
    'internal.error':
      'Something went wrong. What was done until then is kept. Try again, or tell an administrator the reference.',
  },
}

/** Returns the sentence for a user, in their language; for administrators also the technical text. */
export function sentenceOf(
  code: FailureCode,
  actor: Pick<Actor, 'lang' | 'isAdmin'>,
  technical?: string,
): string {
  const { lang } = actor
  const sentence = fillIn(inLanguage(sentences, lang)[code], lang, { minutes: stuckMs / 60_000 })
  if (!actor.isAdmin || !technical) return sentence
  return `${sentence} (${[...redact(technical)].slice(0, 200).join('')})`
}
