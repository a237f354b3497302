import { own } from '../../core/base/json.ts'
import { type English, filled, inLanguage, languageOf } from '../../core/base/language.ts'
import type { Completed } from '../../core/user/connection/authorize.ts'
import type { CallbackQuery } from '../../core/user/connection/schema.ts'
import type { Answer } from './route.ts'

/** The page that a browser shows when it comes back from a server of grants: words alone, and at most one button. */

const words = {
  title: { en: 'AI chat' },
  connected: { en: '“{server}” is connected. You can close this window.' },
  denied: { en: '“{server}” was not connected. Close this window and try again in the chat.' },
  unknown: {
    en: 'This way back is not valid, or not any more. Close this window and connect again in the chat.',
  },
  confirm: {
    en: 'The account “{username}” of the AI chat wants to work on “{server}” with your rights. Go on only if this is your account and you have just begun this.',
  },
  go: { en: 'Connect' },
} as const satisfies Record<string, English>

/** No script, no style, no picture, no frame: the page shows text and sends its form to the stage. */
const policy = "default-src 'none'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

/** The page as the answer of a route. */
export function returnPage(completed: Completed, query: CallbackQuery, lang: string): Answer {
  const say = (name: keyof typeof words) =>
    escaped(filled(inLanguage(words[name], lang), lang, { server: '', username: '', ...completed }))
  const form = completed.state === 'confirm' ? confirmation(query, say('go')) : ''
  const body = `<!doctype html>
<html lang="${languageOf(lang)}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><meta name="color-scheme" content="light dark"><title>${say('title')}</title></head>
<body><main><h1>${say('title')}</h1><p role="status">${say(completed.state)}</p>${form}</main></body>
</html>
`
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy,
    // The address holds the code.
    'referrer-policy': 'no-referrer',
  }
  return { body, headers }
}

function confirmation({ confirmed: _, ...query }: CallbackQuery, label: string): string {
  const fields = Object.entries({ ...query, confirmed: 'yes' }).flatMap(([name, value]) =>
    value === undefined ? [] : [`<input type="hidden" name="${name}" value="${escaped(value)}">`],
  )
  return `<form method="get" action="/ai-chat/connections/callback">${fields.join('')}<button>${label}</button></form>`
}

function escaped(text: string): string {
  const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
  return text.replace(/[&<>"]/g, (character) => own(entities, character) ?? '')
}
