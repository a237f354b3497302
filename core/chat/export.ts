import { randomUUID } from 'node:crypto'
import type { Actor } from '../base/actor.ts'
import { inLanguage } from '../base/language.ts'
import { withoutPictures } from '../base/safety/picture.ts'
import { type Conversation, summary } from '../conversation/item.ts'
import type { Message, ToolCall } from '../conversation/transcript/schema.ts'
import * as Transcript from '../conversation/transcript/transcript.ts'
import { attachmentHeader } from '../file/format.ts'
import { askUser } from '../tool/read/ask-user.ts'
import type { ToolWords } from '../tool/schema.ts'
import { find } from '../tool/tools.ts'

type ExportFormat = 'markdown' | 'json'

/**
 * The maximum size of a direct answer in bytes. A larger export goes through the store, because a Lambda answers at
 * most 6 MB.
 */
const maxBytes = 5_000_000

const words = {
  en: {
    user: 'You',
    assistant: 'Assistant',
    attached: 'Attached',
    named: 'Named',
    used: 'Used',
    unanswered: 'Not answered.',
    changed: 'Changed with your approval',
    unchanged: 'Approved, but the change is not confirmed',
    denied: 'Denied',
    summarised: 'Earlier part summarised',
  },
}

/**
 * Returns a conversation as a file to download: Markdown for people, JSON for programs. For a large export, returns
 * status 303 and an address that is valid for five minutes.
 */
export async function exported(
  actor: Actor,
  conversation: Conversation,
  format: ExportFormat,
): Promise<{ status: number; body: string; headers: Record<string, string> }> {
  const { messages } = await Transcript.part(conversation, 0, Number.MAX_SAFE_INTEGER, false)
  const isJson = format === 'json'
  const body = isJson
    ? `${JSON.stringify({ conversation: summary(conversation), messages }, null, 2)}\n`
    : markdown(conversation, messages, actor.lang)
  const contentType = `${isJson ? 'application/json' : 'text/markdown'}; charset=utf-8`
  const disposition = attachmentHeader(`${fileName(conversation.title)}.${isJson ? 'json' : 'md'}`)
  if (Buffer.byteLength(body) <= maxBytes)
    return { status: 200, body, headers: { 'content-type': contentType, 'content-disposition': disposition } }
  // Few exports are large, so the bundle keeps the store's client in a separate chunk.
  const Store = await import('../file/store.ts')
  const key = `exports/${actor.uid}/${randomUUID()}`
  await Store.put(key, body, { contentType, disposition })
  const location = await Store.downloadUrl(key, { contentType, disposition })
  return { status: 303, body: '', headers: { location } }
}

/**
 * Returns a conversation as Markdown, in the user's language. Of the tool results, it has the user's answers to
 * questions and decisions on changes.
 */
export function markdown(conversation: Conversation, messages: Message[], lang: string): string {
  const labels = inLanguage(words, lang)
  const parts = messages.flatMap((message): string[] => {
    if (message.role === 'tool')
      return message.toolName === askUser.name ? answers(message, labels) : decisions(message, lang)
    const who = labels[message.notice === 'summarised' ? 'summarised' : message.role]
    const file = message.fileName ? [`*${labels.attached}: ${message.fileName}*`] : []
    const mentions = message.mentions ? [`*${labels.named}: ${namesOf(message.mentions)}*`] : []
    const calls = message.toolCalls?.map(({ name }) => titleOf(name, lang)) ?? []
    const used = calls.length > 0 ? [`*${labels.used}: ${calls.join(', ')}*`] : []
    const content = message.content.trim() === '' ? [] : [message.content]
    const questions = (message.toolCalls ?? []).filter(({ name }) => name === askUser.name).map(asked)
    return [`## ${who}, ${message.createdAt}`, ...content, ...questions, ...file, ...mentions, ...used]
  })
  return `${withoutPictures([`# ${conversation.title}`, ...parts].join('\n\n'))}\n`
}

/** Returns a question of the assistant and its choices as Markdown. */
function asked({ arguments: args }: ToolCall): string {
  const { data } = askUser.parameters.safeParse(args)
  if (!data) return ''
  const { text, choices } = askUser.question(data)
  const list = choices.map((choice) => `- ${choice}`).join('\n')
  return list === '' ? `**${text}**` : `**${text}**\n\n${list}`
}

/** Returns the user's answer to a question as Markdown. */
function answers({ createdAt, remark }: Message, labels: typeof words.en): string[] {
  return [`## ${labels.user}, ${createdAt}`, remark ?? `*${labels.unanswered}*`]
}

/** Returns the user's decision on a change and its outcome as Markdown; empty for a call that needed no decision. */
function decisions(message: Message, lang: string): string[] {
  const labels = inLanguage(words, lang)
  const { approved, outcome, records, toolName = '', remark } = message
  if (approved === undefined) return []
  const approval = outcome === 'done' ? labels.changed : labels.unchanged
  const subject = records ? namesOf(records) : titleOf(toolName, lang)
  return [`*${approved ? approval : labels.denied}: ${subject}${remark ? `. ${remark}` : ''}*`]
}

/** Returns the title of a tool for people; a tool of another server keeps its name. */
function titleOf(name: string, lang: string): string {
  const tool = find(name)
  return tool ? inLanguage<ToolWords>(tool.words, lang).title : name
}

function namesOf(named: readonly { title: string; uid: number | string }[]): string {
  return named.map(({ title, uid }) => `${title} [${uid}]`).join(', ')
}

function fileName(title: string): string {
  // Replaces also the half of a character that the cut may leave, because a header cannot hold it.
  const name = title.slice(0, 80).replace(/[\p{C}/\\:*?"<>|]+/gu, ' ')
  return name.trim() || 'conversation'
}
