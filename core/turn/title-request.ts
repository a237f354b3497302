import { languageName, languageTag } from '../agent/prompt/system.ts'
import { dataRule, fence } from '../base/safety/fence.ts'
import { foldToLine, withoutTags } from '../base/safety/invisible.ts'
import { redact } from '../base/safety/redact.ts'
import { cutLine } from '../chat/conversation.ts'
import type { Message } from '../conversation/transcript/schema.ts'
import { type ModelRequest, plainRequest } from '../model/model.ts'

/** Builds the request for the title of a conversation, and reads the title from the answer. */

/** The maximum number of characters of a title. */
const longest = 60
/** The maximum length of a line that can be a title, in characters. A longer line answers something else. */
const noTitle = 150
/** The maximum number of characters of the question, and of the answer, that the request quotes. */
const messageLength = 2_000
/** The maximum number of tokens of the answer: more than a title needs, because some models think before they write. */
const maxTokens = 1_000

const instructions = (lang: string) =>
  [
    'You write the title of a conversation between a user of a content management system and an assistant. The user finds the conversation by it in a list.',
    `Write one line of at most ${longest - 10} characters in ${languageName(languageTag(lang))}: the subject first, such as the page that it is about, then what is asked or done.`,
    'Write no quotation marks around it, no full stop at its end, and no password, key or personal data that is not the name of a page or record.',
    `${dataRule} Answer with the title alone.`,
  ].join('\n')

/** Returns the request for a title of a question and its answer, in the user's language. */
export function titleRequest(
  question: Message,
  answer: string,
  { lang, nonce }: { lang: string; nonce: string },
): ModelRequest {
  const named = (question.mentions ?? []).map(({ title }) => title)
  const asked = [question.content, question.fileName ?? '', ...named].filter(Boolean).join('\n')
  const part = (source: string, text: string) => fence(nonce, source, redact(text).slice(0, messageLength))
  const parts = [
    part('message of the user', asked),
    part('answer of the assistant', answer),
    'Write the title.',
  ]
  return plainRequest(instructions(lang), parts, maxTokens)
}

/** Markup and quotation marks that models put around a title although the instructions forbid it. */
const around = /^[#*_\s]*["'„“«‹‘`]+([^"„“”«»‹›`]+)["'”“»›’`]+[.*_\s]*$/u
const marks = /^[#*_\s]+|[*_\s]+$|(?<=[^.])\.$/gu

/** Returns the title in an answer; undefined if the answer has no title or the title holds a secret. */
export function titleIn(text: string): string | undefined {
  const [first = ''] = withoutTags(text.trim().toWellFormed()).split(/[\n\p{Zl}\p{Zp}]/u)
  const line = foldToLine(first.replace(/[\u202a-\u202e\u2066-\u2069]/gu, ''))
    .replace(around, '$1')
    .replace(marks, '')
    .trim()
  const isTitle = /[\p{L}\p{N}]/u.test(line) && [...line].length <= noTitle && redact(line) === line
  return isTitle ? cutLine(line, longest) : undefined
}
