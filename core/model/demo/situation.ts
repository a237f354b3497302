import { picture } from '../wire/media.ts'
import type { Block, WireMessage, WireRequest } from '../wire/shape.ts'
import { idIn } from './reading.ts'
import type { Result } from './script.ts'
import { asScript, type Lang, named as quoted, say } from './speech.ts'

/** The text of a document, the facts about an image, or the reason why a file is missing. */
export type Attachment =
  | { name: string; text: string }
  | { name: string; about: string }
  | { name: string; missing: string }

/** Reads the system prompt and the messages leniently: a missing part stays unknown. */
export function situationOf(request: WireRequest) {
  const system = (request.system ?? []).map(({ text }) => text).join('\n\n')
  const asked = request.messages.findLastIndex(({ role, content }) => role === 'user' && content.some(isOwn))
  const blocks = (request.messages[asked]?.content ?? []).filter(isOwn)
  const question = questionOf(blocks)
  const [, title = '', uid] = system.match(/^Selected page: (.*) \[([^\]\s]+)\]$/m) ?? []
  const mentioned = blocks.flatMap(mentionsOf)
  const [, table = '', id, name = ''] = system.match(/^Open record: (\S+) \[([^\]\s]+)\] (.*)$/m) ?? []
  const told = system.match(/^# Tables of the site\n\n(.*)$/m)?.[1]
  const tableOf = (words: string) =>
    told?.match(new RegExp(`${words} are records of the table ([\\w.:-]*\\w)`))?.[1]
  const tables =
    told === undefined
      ? own
      : { pages: tableOf('^Pages') ?? null, content: tableOf('elements on pages') ?? null }
  const page = mentioned.find(({ table }) => table === tables.pages)
  const lang = langOf(system, question)
  const refusals = refusalsOf(system)
  return {
    lang,
    /** Template tag that translates an English text; `remark` adds that this is a script. */
    say: say(lang),
    remark: asScript(lang),
    /** A name in the quotation marks of the language. */
    named: (name: string) => quoted(lang, name),
    /** Returns two sentences: a needed tool is not offered, and the reason. */
    without: (tool: string) => {
      const reason = refusals.get(tool) ?? `${say(lang)`You cannot use it here`}.`
      return `${say(lang)`That I cannot do here: I would need a tool that you do not have.`} ${reason}`
    },
    /** The last text of the user, without attachments. */
    question,
    attachments: blocks.flatMap(attachmentsOf),
    /** The page that the message mentions, else the open one. */
    page: page ?? (uid ? { title, uid: idIn(uid) } : undefined),
    /** The first record that the message mentions, else the open record if it is no page. */
    mentioned: mentioned[0] ?? (id ? { table, uid: idIn(id), title: name } : undefined),
    /** The tables of pages and of the elements on them; null if the CMS has none. */
    tables,
    /** True for the product's own CMS, whose tables, words and records the script knows. */
    isOwn: tables.pages === own.pages && tables.content === own.content,
    /** Names of the tools that are offered. */
    tools: (request.tools ?? []).map(({ name }) => name),
    /** The calls since the question with their results, in rounds. */
    rounds: roundsOf(request.messages.slice(asked + 1)),
  }
}

/** The facts that a script uses, all read from the request. */
export type Situation = ReturnType<typeof situationOf>

const own = { pages: 'pages', content: 'content' }

const isOwn = (block: Block) => block.type !== 'tool_result'

const fenced = /<(data-[0-9a-z]+) source="([^"]*)">\n?([\s\S]*?)\n?<\/\1>/g

/** Returns the last text without a fence: documents have a fence, and notes of the system are in brackets. */
function questionOf(blocks: Block[]): string {
  const texts = blocks.flatMap((block) => (block.type === 'text' ? [block.text] : []))
  const own = texts.filter((text) => !text.match(fenced) && !text.startsWith('[Note of the system'))
  return own.at(-1)?.trim() ?? ''
}

const naming = '[Note of the system: the user named '

function mentionsOf(block: Block) {
  if (block.type !== 'text' || !block.text.startsWith(naming)) return []
  return [...block.text.matchAll(/^([\w.:-]+) \[([^\]\s]+)\] (.*)$/gm)].map(
    ([, table = '', uid = '', title = '']) => ({ table, uid: idIn(uid), title }),
  )
}

function attachmentsOf(block: Block): Attachment[] {
  if (block.type === 'text' && block.text.startsWith(naming)) return []
  if (block.type === 'text') {
    const [, reason] = block.text.match(/^\[Note of the system: .*? is not included: (.*?)\. /) ?? []
    return [...block.text.matchAll(fenced)].map(([, , name = '', text = '']) =>
      reason ? { name, missing: reason } : { name, text },
    )
  }
  if (block.type === 'document') return [{ name: block.title ?? 'PDF', about: 'PDF' }]
  if (block.type !== 'image') return []
  const image = picture(Buffer.from(block.source.data, 'base64'))
  if (!image) return []
  const kind = image.type.replace('image/', '').toUpperCase()
  return [{ name: kind, about: `${kind}, ${image.width} × ${image.height} px` }]
}

/** Returns the language for the answer. A language that the message names takes precedence over the user's language. */
function langOf(system: string, question: string): Lang {
  if (/\b(?:auf deutsch|in german)\b/i.test(question)) return 'de'
  if (/\b(?:auf englisch|in english)\b/i.test(question)) return 'en'
  if (/\b(?:auf französisch|in french|en français)\b/i.test(question)) return 'fr'
  const [, own = 'en'] = system.match(/^Answer language: (de|fr)\b/im) ?? []
  return own.toLowerCase() as Lang
}

/**
 * Returns the reason why each tool is not offered, by the name of the tool. Reads lines with names, or titles and names
 * in parentheses, and a sentence: `- Log (fetch_logs), get_users: Because.`
 */
function refusalsOf(system: string): Map<string, string> {
  const [, section = ''] = system.match(/# Tools that this user cannot use\n+((?:- .*\n?)*)/) ?? []
  const lines = [...section.matchAll(/^- (.*?): (.*)$/gm)]
  return new Map(
    lines.flatMap(([, names = '', reason = '']) =>
      (names.match(/[a-z]+(?:_[a-z]+)+/g) ?? []).map((name) => [name, reason] as const),
    ),
  )
}

function roundsOf(messages: WireMessage[]): Result[][] {
  const blocks = messages.flatMap(({ content }) => content)
  const resultOf = (id: string) =>
    blocks.find((block) => block.type === 'tool_result' && block.tool_use_id === id)
  const rounds = messages.map(({ content }) =>
    content.flatMap((block): Result[] => {
      if (block.type !== 'tool_use') return []
      const result = resultOf(block.id)
      const told = result?.type === 'tool_result' ? result : undefined
      const text = (told?.content ?? []).map((part) => (part.type === 'text' ? part.text : '')).join('\n')
      const bare = text.replace(fenced, (_, __, ___, inner: string) => inner).trim()
      return [{ name: block.name, arguments: block.input, text: bare, isError: told?.is_error ?? false }]
    }),
  )
  return rounds.filter((round) => round.length > 0)
}
