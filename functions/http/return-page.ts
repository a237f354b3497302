import { type English, filled, inLanguage } from '../../core/base/language.ts'
import type { Completed } from '../../core/user/connection/authorize.ts'
import type { CallbackQuery } from '../../core/user/connection/schema.ts'
import { escaped, hiddenFields, page } from './page.ts'
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

/** The page as the answer of a route. */
export function returnPage(completed: Completed, query: CallbackQuery, lang: string): Answer {
  const say = (name: keyof typeof words) =>
    filled(inLanguage(words[name], lang), lang, { server: '', username: '', ...completed })
  const form = completed.state === 'confirm' ? confirmation(query, say('go')) : ''
  const body = `<p role="status">${escaped(say(completed.state))}</p>${form}`
  return page({ lang, title: say('title'), body })
}

function confirmation(query: CallbackQuery, label: string): string {
  const fields = hiddenFields({ ...query, confirmed: 'yes' })
  return `<form class="acts" method="get" action="/ai-chat/connections/callback">${fields}<button class="first">${escaped(label)}</button></form>`
}
