import offers from './offers.json' with { type: 'json' }
import type { Situation } from './situation.ts'
import { translate } from './speech.ts'

/** Tools whose examples are the same for every CMS. */
const shared = new Set([
  'get_page_tree',
  'list_files',
  'fetch_logs',
  'get_last_exception',
  'get_system_status',
  'list_backend_users',
])

/** Says of an order that the script does not know that it cannot do it, and where it says what it can. */
export function cannot({ say }: Situation): string {
  return say`That I cannot: this demo is a fixed script, and a sentence like this needs a model. Nothing was changed. Ask “What can you do?” for the changes that the script knows.`
}

/** Explains the demo, and lists what it can do with the tools that this user has. */
export function help({ lang, tools, isOwn, say }: Situation): string {
  const known = [...offers.connected, ...offers.own.filter(({ tool }) => shared.has(tool))]
  const list = (isOwn ? offers.own : known)
    .filter(({ tool }) => tools.includes(tool))
    .map(({ text }) => `- ${translate(lang, text)}`)
    .join('\n')
  const head = say`This is the demo mode: I am a fixed script, not an AI model, and understand only certain sentences.`
  if (!list) return head
  return `${head} ${say`I can:`}\n\n${list}`
}
