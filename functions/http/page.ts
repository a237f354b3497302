import { createHash } from 'node:crypto'
import { escapeUTF8 as escaped } from 'entities/escape'
import type { VisibleError } from '../../core/base/error.ts'
import { sentence } from '../../core/base/error-sentence.ts'
import { fillIn, inLanguage, languageOf } from '../../core/base/language.ts'
import type { Completed } from '../../core/user/connection/authorize.ts'
import type { CallbackQuery } from '../../core/user/connection/schema.ts'
import type { Answer } from './route.ts'

/** Pages that functions return themselves: text, links and forms of the stage, without scripts. */

const style = `
:root{color-scheme:light dark;font:0.9375rem/1.6 system-ui,-apple-system,"Segoe UI",Roboto,"Noto Sans",sans-serif;
background:light-dark(#eff3f4,#0c1115);color:light-dark(#172128,#e6ecee)}
body{margin:0;min-height:100vh;display:grid;place-items:center;padding:1rem;box-sizing:border-box}
main{width:100%;max-width:28rem;box-sizing:border-box;padding:2rem;border-radius:10px;background:light-dark(#fff,#151c21);
box-shadow:0 0 0 1px light-dark(#dfe5e7,#283138);overflow-wrap:anywhere}
h1{margin:0 0 1rem;font-size:1.375rem;line-height:1.75rem}
p,ul{margin:0 0 1rem}ul{padding-inline-start:1.25rem}
.note{font-size:0.8125rem;line-height:1.25rem;color:light-dark(#455259,#adb8be)}
.acts{display:flex;flex-wrap:wrap;gap:0.5rem;justify-content:flex-end;margin:1.5rem 0 0}
button,.act{font:500 0.875rem/1.25rem system-ui,sans-serif;min-height:2.75rem;padding:0 1rem;display:inline-flex;align-items:center;
border-radius:6px;border:1px solid light-dark(#c3cccf,#3b464e);background:none;color:inherit;cursor:pointer;text-decoration:none}
.first{border-color:transparent;background:light-dark(#00627c,#74cbe0);color:light-dark(#fff,#04202a)}
:focus-visible{outline:2px solid light-dark(#00627c,#74cbe0);outline-offset:2px}`

/**
 * The Content-Security-Policy of a page: its form goes to the stage and it uses the style above, but no script, picture
 * or frame.
 */
const policy = `default-src 'none'; style-src 'sha256-${createHash('sha256').update(style).digest('base64')}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`

/** The parts of a page: title, body (as markup), and in `next` the address that the page opens by itself. */
type PageParts = { lang: string; title: string; body: string; next?: string; status?: number }

/** Returns the page as the answer of a route. */
function page({ lang, title, body, next, status = 200 }: PageParts): Answer {
  const refresh = next === undefined ? '' : `<meta http-equiv="refresh" content="0; url=${escaped(next)}">`
  const text = `<!doctype html>
<html lang="${languageOf(lang)}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark">${refresh}<title>${escaped(title)}</title><style>${style}</style></head>
<body><main><h1>${escaped(title)}</h1>${body}</main></body>
</html>
`
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy,
    'x-frame-options': 'DENY',
    // Other sites must not get the address, which may hold a code; the form of the page needs its origin.
    'referrer-policy': 'same-origin',
  }
  return { status, body: text, headers }
}

/** Returns the markup of the hidden fields of a form. */
function hiddenFields(values: Record<string, string | undefined>): string {
  return Object.entries(values)
    .flatMap(([name, value]) =>
      value === undefined ? [] : [`<input type="hidden" name="${escaped(name)}" value="${escaped(value)}">`],
    )
    .join('')
}

const words = {
  en: {
    title: 'Allow access?',
    asks: '“{client}” wants to work with the content of this site in your name, as “{username}”.',
    leads: 'It leads to {host}. Go on only if you have just begun this there.',
    may: 'It may:',
    read: 'read what you may read: pages, records, files and pictures',
    propose: 'propose changes; each one waits for your approval in the chat',
    end: 'You can end the access at any time in the chat, under “Access for programs”.',
    allow: 'Allow',
    deny: 'Deny',
    login: 'Log in first',
    loginHere: 'A program asks for access to the content. Log in, and you come back to this page.',
    loginThere:
      'A program asks for access to the content. Open the AI chat in your content management system, in this browser, and choose “Access for programs” and “Confirm this browser” there. Then come back and go on.',
    loginLink: 'Log in',
    goOn: 'Go on',
    moment: 'One moment',
    known: 'This browser is confirmed',
    knownText:
      'This browser may decide as “{username}” for ten minutes. Go back to the page that asked you for this, and go on there. You can close this window.',
    done: 'You are sent back',
    back: 'Back to {host}',
    refused: 'This does not work',
    client:
      'The program that asks for access is unknown, or it names an address that is not its own. Begin again there.',
    stale: 'This page is not valid any more. Go back to the program and begin again.',
    chat: 'AI chat',
    connected: '“{server}” is connected. You can close this window.',
    denied: '“{server}” was not connected. Close this window and try again in the chat.',
    unknown: 'This link is not valid any more. Close this window and connect again in the chat.',
    confirm:
      'The account “{username}” of the AI chat wants to work on “{server}” with your rights. Go on only if this is your account and you have just begun this.',
    connect: 'Connect',
  },
}
type Word = keyof typeof words.en

type Params = Record<string, string | number>

const say = (lang: string, name: Word, params: Params = {}) =>
  fillIn(inLanguage(words, lang)[name], lang, params)
const markup = (lang: string, name: Word, params?: Params) => escaped(say(lang, name, params))

/** The content of the consent page, and the fields that its form sends again. */
type Consent = {
  lang: string
  client: string
  username: string
  host: string
  scope: readonly ('read' | 'propose')[]
  fields: Record<string, string | undefined>
}

/** The address of the consent page and of its form. */
export const consentPath = '/ai-chat/oauth/authorize'

/** Returns the page that asks the user if a program may have access. */
export function consentPage({ lang, scope, fields, host, ...named }: Consent): Answer {
  const allowed = scope.map((one) => `<li>${markup(lang, one)}</li>`).join('')
  // The program chooses its own name, so the host is emphasised, in a separate sentence.
  const emphasised = `<strong dir="ltr">${escaped(host)}</strong>`
  // A function returns the host, because `$` has a meaning in a replacement text.
  const leads = escaped(inLanguage(words, lang).leads).replace('{host}', () => emphasised)
  const body = `<p>${markup(lang, 'asks', named)}</p><p>${leads}</p><p id="may">${markup(lang, 'may')}</p><ul aria-labelledby="may">${allowed}</ul>
<p class="note">${markup(lang, 'end')}</p>
<form class="acts" method="post" action="${consentPath}">${hiddenFields(fields)}<button name="decision" value="deny">${markup(lang, 'deny')}</button><button class="first" name="decision" value="allow">${markup(lang, 'allow')}</button></form>`
  return page({ lang, title: say(lang, 'title'), body })
}

/**
 * Returns the page that asks a user to log in first, at the stage or in the connected CMS. Each login returns to
 * `here`.
 */
export function loginPage(lang: string, here: string, isElsewhere: boolean): Answer {
  const link = isElsewhere ? here : `/backend?then=${encodeURIComponent(here)}`
  const body = `<p>${markup(lang, isElsewhere ? 'loginThere' : 'loginHere')}</p><p class="acts"><a class="act first" href="${escaped(link)}">${markup(lang, isElsewhere ? 'goOn' : 'loginLink')}</a></p>`
  return page({ lang, title: say(lang, 'login'), body })
}

/**
 * Returns a page that opens another page at once: the page of a program, or the same page of the stage again. The same
 * page is opened again: a browser sends the strict cookie only if a page of the stage leads there.
 */
export function passingPage(lang: string, next: string, host?: string): Answer {
  const link = host === undefined ? markup(lang, 'goOn') : markup(lang, 'back', { host })
  const body = `<p class="acts"><a class="act" href="${escaped(next)}">${link}</a></p>`
  return page({ lang, title: say(lang, host === undefined ? 'moment' : 'done'), body, next })
}

/** Returns the page that tells the user that they are logged in for the consent. */
export function knownPage(lang: string, username: string): Answer {
  return page({ lang, title: say(lang, 'known'), body: `<p>${markup(lang, 'knownText', { username })}</p>` })
}

/**
 * Returns the page that explains why there is no question: an unknown client, an outdated page, or a refusal of the
 * service.
 */
export function refusedPage(lang: string, why: 'client' | 'stale' | VisibleError, status: number): Answer {
  const told = typeof why === 'string' ? say(lang, why) : sentence(why.code, lang, why.params)
  return page({ lang, title: say(lang, 'refused'), body: `<p role="alert">${escaped(told)}</p>`, status })
}

/**
 * Returns the page to which the authorization server sends the browser back. It shows the result of the connection in a
 * sentence, with at most one button.
 */
export function returnPage(completed: Completed, query: CallbackQuery, lang: string): Answer {
  const told = markup(lang, completed.state, { server: '', username: '', ...completed })
  const form = completed.state === 'confirm' ? confirmation(query, lang) : ''
  return page({ lang, title: say(lang, 'chat'), body: `<p role="status">${told}</p>${form}` })
}

function confirmation(query: CallbackQuery, lang: string): string {
  const fields = hiddenFields({ ...query, confirmed: 'yes' })
  return `<form class="acts" method="get" action="/ai-chat/connections/callback">${fields}<button class="first">${markup(lang, 'connect')}</button></form>`
}
