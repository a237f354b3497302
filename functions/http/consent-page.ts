import type { VisibleError } from '../../core/base/error.ts'
import { sentence } from '../../core/base/error-sentence.ts'
import { type English, filled, inLanguage } from '../../core/base/language.ts'
import { escaped, hiddenFields, page } from './page.ts'
import type { Answer } from './route.ts'

/** The pages on which a user lets a program in, or not. */

const words = {
  title: { en: 'Allow access?' },
  asks: {
    en: '“{client}” wants to work with the content of this site in your name, as “{username}”.',
  },
  leads: { en: 'It leads to {host}. Go on only if you have just begun this there.' },
  may: { en: 'It may:' },
  read: { en: 'read what you may read: pages, records, files and pictures' },
  propose: { en: 'propose changes; each one waits for your approval in the chat' },
  end: { en: 'You can end the access at any time in the chat, under “Access for programs”.' },
  allow: { en: 'Allow' },
  deny: { en: 'Deny' },
  login: { en: 'Log in first' },
  loginHere: { en: 'A program asks for access to the content. Log in, and you come back to this page.' },
  loginThere: {
    en: 'A program asks for access to the content. Open the AI chat in your content management system, in this browser, and choose “Access for programs” and “Confirm this browser” there. Then come back and go on.',
  },
  loginLink: { en: 'Log in' },
  goOn: { en: 'Go on' },
  moment: { en: 'One moment' },
  known: { en: 'This browser is confirmed' },
  knownText: {
    en: 'This browser may decide as “{username}” for ten minutes. Go back to the page that asked you for this, and go on there. You can close this window.',
  },
  done: { en: 'You are sent back' },
  back: { en: 'Back to {host}' },
  refused: { en: 'This does not work' },
  client: {
    en: 'The program that asks for access is not known, or wants to be answered at an address that is not its own. Begin again there.',
  },
  stale: { en: 'This page is not valid any more. Go back to the program and begin again.' },
} as const satisfies Record<string, English>
type Word = keyof typeof words

const say = (lang: string, name: Word, params: Record<string, string> = {}) =>
  filled(inLanguage(words[name], lang), lang, params)
const markup = (lang: string, name: Word, params?: Record<string, string>) => escaped(say(lang, name, params))

/** The content of the consent page, and the fields that its form sends again. */
export type Consent = {
  lang: string
  client: string
  username: string
  host: string
  scope: readonly ('read' | 'propose')[]
  fields: Record<string, string | undefined>
}

/** The address of the consent page, which its form is sent to as well. */
export const consentPath = '/ai-chat/oauth/authorize'

/** Asks the user whether a program may have access. */
export function consentPage({ lang, scope, fields, host, ...named }: Consent): Answer {
  const allowed = scope.map((one) => `<li>${markup(lang, one)}</li>`).join('')
  // The name is the program's own word: the host stands out, and in a sentence of its own.
  const leads = escaped(inLanguage(words.leads, lang)).replace(
    '{host}',
    `<strong dir="ltr">${escaped(host)}</strong>`,
  )
  const body = `<p>${markup(lang, 'asks', named)}</p><p>${leads}</p><p id="may">${markup(lang, 'may')}</p><ul aria-labelledby="may">${allowed}</ul>
<p class="note">${markup(lang, 'end')}</p>
<form class="acts" method="post" action="${consentPath}">${hiddenFields(fields)}<button name="decision" value="deny">${markup(lang, 'deny')}</button><button class="first" name="decision" value="allow">${markup(lang, 'allow')}</button></form>`
  return page({ lang, title: say(lang, 'title'), body })
}

/** Asks a user to log in first: at the stage, or in the connected CMS. Both come back to `here`. */
export function loginPage(lang: string, here: string, isElsewhere: boolean): Answer {
  const link = isElsewhere ? here : `/backend?then=${encodeURIComponent(here)}`
  const body = `<p>${markup(lang, isElsewhere ? 'loginThere' : 'loginHere')}</p><p class="acts"><a class="act first" href="${escaped(link)}">${markup(lang, isElsewhere ? 'goOn' : 'loginLink')}</a></p>`
  return page({ lang, title: say(lang, 'login'), body })
}

/** Leads to another page at once: to this stage itself, whose strict cookie no link of another site brings, or back to a program. */
export function passingPage(lang: string, next: string, host?: string): Answer {
  const link = host === undefined ? markup(lang, 'goOn') : markup(lang, 'back', { host })
  const body = `<p class="acts"><a class="act" href="${escaped(next)}">${link}</a></p>`
  return page({ lang, title: say(lang, host === undefined ? 'moment' : 'done'), body, next })
}

/** Says that the user is logged in for the consent. */
export function knownPage(lang: string, username: string): Answer {
  return page({ lang, title: say(lang, 'known'), body: `<p>${markup(lang, 'knownText', { username })}</p>` })
}

/** Says why nothing is asked: a client that is not known, a page that is too old, or a refusal of the service. */
export function refusedPage(lang: string, why: 'client' | 'stale' | VisibleError, status: number): Answer {
  const told = typeof why === 'string' ? say(lang, why) : sentence(why.code, lang, why.params)
  return page({ lang, title: say(lang, 'refused'), body: `<p role="alert">${escaped(told)}</p>`, status })
}
