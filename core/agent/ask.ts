import { hash } from '../base/hash.ts'
import { inLanguage } from '../base/language.ts'
import * as Log from '../base/log.ts'
import type { Notice, Source, ToolCall } from '../conversation/transcript/schema.ts'
import { type Answer, authorOf, ModelError, type ModelRequest } from '../model/model.ts'
import { faultSentence } from './journal.ts'
import type { Marks } from './marks.ts'
import type { Task } from './task.ts'
import { boundReply } from './truncate.ts'

const sentences = {
  none: { en: 'The language model gave no answer.' },
  cut: { en: 'The answer was cut off before it began: the limit for one answer was reached.' },
  rounds: { en: 'The steps for this answer were used up before its end. Ask again to go on.' },
}

/** Returns the version of the stage's own prompt: a hash of the prompt parts up to the first cache mark. */
function promptVersion(system: ModelRequest['system']): string {
  const end = system.findIndex(({ cache }) => cache)
  return hash(system.slice(0, end + 1).map(({ text }) => text)).slice(0, 12)
}

/** Asks the model once and stores its reply. Returns the calls that the model wants; empty if the turn is over. */
export async function ask(task: Task, round: number): Promise<ToolCall[]> {
  const { journal } = task
  const isClosing = round > task.maxRounds
  const startedAt = task.now()
  const step = () => ({ kind: 'llm' as const, round, ms: task.now() - startedAt })
  const asking = Log.within({ round }, () => attempt(task, round))
  const { answer, messages } = await asking.catch((error: unknown) => {
    if (error instanceof ModelError)
      journal.step({ ...step(), error: faultSentence(error.code) }, { failure: error.message })
    throw error
  })
  const { model } = authorOf(answer, task.model)
  await task.settle(round, answer.usage, model)
  const entry = { ...step(), ...(answer.standIn && { model }) }
  const reply = boundReply(answer)
  const { text, stop, usage } = answer
  const detail = { text, calls: reply.calls, stop, usage, model, promptVersion: promptVersion(task.system) }

  if (stop === 'refusal') {
    journal.step(entry, detail)
    await journal.refused()
    return []
  }
  if (reply.calls.length > 0 && !isClosing) {
    const { text, calls, isCut } = reply
    const isWhole = !isCut && calls.length === answer.calls.length
    const named = await journal.wants({
      text,
      calls,
      ...(isCut && { notice: 'truncated' as const }),
      ...(answer.parts && isWhole && { thought: { model: task.model.about.model, parts: answer.parts } }),
    })
    journal.step(entry, detail)
    return named
  }
  journal.step(entry, detail)
  const ended = ending(answer, reply, isClosing, task)
  await journal.ends({ ...ended, ...(await groundsOf(task, answer, ended.text, messages)) })
  return []
}

/**
 * Returns the sources of an answer, and its parts without a source. Loads the code for this only when an answer may
 * need it.
 */
async function groundsOf(
  task: Task,
  { citations = [] }: Answer,
  text: string,
  messages: ModelRequest['messages'],
): Promise<Marks & { sources?: Source[] }> {
  if (citations.length === 0 && !/[\d[]/.test(text)) return {}
  const [{ marksOf }, { sourcesOf }] = await Promise.all([import('./marks.ts'), import('./source.ts')])
  const { rows } = task
  const kept = citations.filter(({ at }) => at <= text.length)
  const sources = sourcesOf(kept, { messages, rows })
  const marks = marksOf(text, { system: task.system, messages, rows }, task.now())
  return { ...marks, ...(sources.length > 0 && { sources }) }
}

/** The answer of the model, and the messages of its request. */
type Answered = { answer: Answer; messages: ModelRequest['messages'] }

async function attempt(task: Task, round: number): Promise<Answered> {
  let window: number | undefined
  let cuts = 0
  for (;;) {
    const { messages, tokens } = await task.history(window)
    await task.reserve(round, tokens + task.maxTokens)
    try {
      const request = requestOf(task, messages, round > task.maxRounds)
      return { answer: await task.model.ask(request, task.signal), messages }
    } catch (error) {
      if (!(error instanceof ModelError)) throw error
      const leaveOut = async () =>
        (await task.withdraw(error, messages)) || (refusesThoughts(error) && task.forgetThoughts())
      const cut = async () => {
        if (error.code !== 'model.tooLarge' || cuts++ >= maxCuts) return false
        window = Math.floor(tokens / 2) + task.maxTokens
        return (await task.history(window)).tokens < tokens
      }
      // A window is full of history, while a body that is too large is full of files.
      const isLess = error.exceedsWindow
        ? (await cut()) || (await leaveOut())
        : (await leaveOut()) || (await cut())
      if (!isLess) throw error
    }
  }
}

function requestOf(task: Task, messages: ModelRequest['messages'], isClosing: boolean): ModelRequest {
  return {
    system: task.system,
    messages,
    tools: task.tools,
    toolChoice: isClosing ? 'none' : 'auto',
    maxTokens: task.maxTokens,
    ...(task.reasoning && { reasoning: task.reasoning }),
  }
}

/** True if the provider refuses the thoughts of the request: they are valid for one model and one transcript only. */
function refusesThoughts({ code, message }: ModelError): boolean {
  return code === 'model.rejected' && /thinking|signature/i.test(message)
}

/** The maximum number of times that a history that is too long for the model is halved. */
const maxCuts = 2

function ending(
  answer: Answer,
  { text, isCut }: { text: string; isCut: boolean },
  isClosing: boolean,
  { model, lang }: Task,
): { text: string; notice?: Notice } {
  const { stop } = answer
  if (stop === 'context' && text.trim() === '')
    throw new ModelError('model.tooLarge', 'The conversation does not fit into the window of the model.')
  const isTruncated = isCut || stop === 'length' || stop === 'context'
  const said = text.trim() === '' ? fallback(isTruncated, isClosing, lang) : text
  if (isTruncated) return { text: said, notice: 'truncated' }
  return authorOf(answer, model).isAI ? { text: said } : { text: said, notice: 'demo' }
}

function fallback(isTruncated: boolean, isClosing: boolean, lang: string): string {
  if (isTruncated) return inLanguage(sentences.cut, lang)
  return inLanguage(isClosing ? sentences.rounds : sentences.none, lang)
}
