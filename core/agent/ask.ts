import { hash } from '../base/hash.ts'
import { inLanguage } from '../base/language.ts'
import * as Log from '../base/log.ts'
import type { Message, Notice, Source, ToolCall } from '../conversation/transcript/schema.ts'
import { type Answer, type Model, ModelError, type ModelRequest } from '../model/model.ts'
import { faultSentence, type Journal } from './journal.ts'
import type { Marks } from './marks.ts'
import { bounded } from './truncate.ts'

/** The inputs of a call of the model. */
export type Asking = {
  model: Model
  system: ModelRequest['system']
  offered: ModelRequest['tools']
  maxTokens: number
  reasoning?: ModelRequest['reasoning'] | undefined
  /** Most calls of the model in a turn; one more call, without tools, closes the turn. */
  maxRounds: number
  /** Number of the next call within the run, 1 for the first. */
  round: number
  /**
   * The transcript as the next request sends it, and its size in tokens; with a `window` in tokens, cut to that for
   * the rest of the turn.
   */
  history(window?: number): Promise<{ messages: ModelRequest['messages']; tokens: number }>
  /** The transcript as it is stored: what the history may show a part of. */
  rows(): readonly Message[]
  /** Sends no thoughts of the model from now on; false when there are none to leave out. */
  forget(): boolean
  /** Sets tokens aside before the call; rejects when the user's budget is spent. */
  reserve(round: number, tokens: number): Promise<void>
  /** Counts what the call used of the model that answered, by its id; stored with what the journal stores next. */
  settle(round: number, usage: Answer['usage'], model: string): Promise<void>
  /** Takes a file that the provider refused out of the request; false when there is none to take out. */
  withdraw(error: ModelError, messages: ModelRequest['messages']): Promise<boolean>
  now(): number
  /** Language of the fixed sentences for a model that gave no text. */
  lang: string
}

const sentences = {
  none: { en: 'The language model gave no answer.' },
  cut: { en: 'The answer was cut off before it began: the limit for one answer was reached.' },
  rounds: { en: 'The steps of this answer are used up before it was finished. Ask again to go on.' },
}

/** Names what the stage itself tells the model: a hash of the parts of the prompt up to the first that the cache ends with. */
function promptVersion(system: ModelRequest['system']): string {
  const end = system.findIndex(({ cache }) => cache)
  return hash(system.slice(0, end + 1).map(({ text }) => text)).slice(0, 12)
}

/** Asks the model once and stores what it says; answers the calls that it wants, none when the turn is over. */
export async function ask(
  task: Asking,
  round: number,
  journal: Journal,
  signal: AbortSignal,
): Promise<ToolCall[]> {
  const isClosing = round > task.maxRounds
  const startedAt = task.now()
  const step = () => ({ kind: 'llm' as const, round, ms: task.now() - startedAt })
  const asking = Log.within({ round }, () => attempt(task, round, signal))
  const { answer, messages } = await asking.catch((error: unknown) => {
    if (error instanceof ModelError) {
      journal.step({ ...step(), error: faultSentence(error.code) }, { failure: error.message })
    }
    throw error
  })
  const model = answer.standIn ?? task.model.about.model
  await task.settle(round, answer.usage, model)
  const entry = { ...step(), ...(answer.standIn && { model: answer.standIn }) }
  const reply = bounded(answer)
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

/** The sources of an answer, and what of it has none; a start does without the code that finds them. */
async function groundsOf(
  task: Asking,
  { citations = [] }: Answer,
  text: string,
  messages: ModelRequest['messages'],
): Promise<Marks & { sources?: Source[] }> {
  if (citations.length === 0 && !/[\d[]/.test(text)) return {}
  const [{ marksOf }, { sourcesOf }] = await Promise.all([import('./marks.ts'), import('./source.ts')])
  const rows = task.rows()
  const kept = citations.filter(({ at }) => at <= text.length)
  const sources = sourcesOf(kept, { messages, rows })
  const marks = marksOf(text, { system: task.system, messages, rows }, task.now())
  return { ...marks, ...(sources.length > 0 && { sources }) }
}

/** The answer of the model, and the messages that it got. */
type Answered = { answer: Answer; messages: ModelRequest['messages'] }

async function attempt(task: Asking, round: number, signal: AbortSignal): Promise<Answered> {
  let window: number | undefined
  for (let cuts = 0; ; ) {
    const { messages, tokens } = await task.history(window)
    await task.reserve(round, tokens + task.maxTokens)
    try {
      return {
        answer: await task.model.ask(requestOf(task, messages, round > task.maxRounds), signal),
        messages,
      }
    } catch (error) {
      if (!(error instanceof ModelError)) throw error
      const isWithout = (await task.withdraw(error, messages)) || (refusesThoughts(error) && task.forget())
      if (isWithout) continue
      if (error.code !== 'model.tooLarge' || cuts++ === maxCuts) throw error
      window = Math.floor(tokens / 2) + task.maxTokens
      if ((await task.history(window)).tokens >= tokens) throw error
    }
  }
}

function requestOf(task: Asking, messages: ModelRequest['messages'], isClosing: boolean): ModelRequest {
  return {
    system: task.system,
    messages,
    tools: task.offered,
    toolChoice: isClosing ? 'none' : 'auto',
    maxTokens: task.maxTokens,
    ...(task.reasoning && { reasoning: task.reasoning }),
  }
}

/** Thoughts are bound to model and prefix; a provider that finds them changed says so. */
function refusesThoughts({ code, message }: ModelError): boolean {
  return code === 'model.rejected' && /thinking|signature/i.test(message)
}

/** How often a history that the model finds too long is cut by half, before the turn fails. */
const maxCuts = 2

function ending(
  { stop }: Answer,
  { text, isCut }: { text: string; isCut: boolean },
  isClosing: boolean,
  { model, lang }: Asking,
): { text: string; notice?: Notice } {
  if (stop === 'context' && text.trim() === '') {
    throw new ModelError('model.tooLarge', 'The conversation does not fit into the window of the model.')
  }
  const isTruncated = isCut || stop === 'length' || stop === 'context'
  const said = text.trim() === '' ? fallback(isTruncated, isClosing, lang) : text
  if (isTruncated) return { text: said, notice: 'truncated' }
  return model.about.isAI ? { text: said } : { text: said, notice: 'demo' }
}

function fallback(isTruncated: boolean, isClosing: boolean, lang: string): string {
  if (isTruncated) return inLanguage(sentences.cut, lang)
  return inLanguage(isClosing ? sentences.rounds : sentences.none, lang)
}
