import type { Notice, ToolCall } from '../message/schema.ts'
import type { Answer, Model, ModelRequest } from '../model/model.ts'
import { ModelError } from '../model/model.ts'
import type { Journal } from './journal.ts'

/** What a call of the model needs. */
export type Asking = {
  model: Model
  system: ModelRequest['system']
  offered: ModelRequest['tools']
  maxTokens: number
  /** Calls that a turn may have; one more closes it, without tools. */
  maxRounds: number
  /** Number of the next call within the run, 1 for the first. */
  round: number
  /** Sets tokens aside before the call; rejects when the user's budget is spent. */
  reserve(round: number, tokens: number): Promise<void>
  /** Counts what the call used. */
  settle(round: number, usage: Answer['usage']): Promise<void>
  /** Takes a file that the provider refused out of the request; false when there is none to take out. */
  withdraw(error: ModelError, messages: ModelRequest['messages']): Promise<boolean>
  now(): number
}

/** The most that one answer, or the arguments of one call, may hold, in bytes. */
export const maxAnswerBytes = 200_000

const sentences = {
  none: 'The language model gave no answer.',
  cut: 'The answer was cut off before it began: the limit for one answer was reached.',
  rounds: 'The steps of this answer are used up before it was finished. Ask again to go on.',
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
  const answer = await attempt(task, round, isClosing, journal, signal)
  await task.settle(round, answer.usage)
  const entry = { kind: 'llm' as const, round, ms: task.now() - startedAt }
  const detail = { text: answer.text, calls: answer.calls, stop: answer.stop, usage: answer.usage }

  if (answer.stop === 'refusal') {
    await journal.step(entry, detail, true)
    await journal.refused()
    return []
  }
  const { text, isCut } = cut(answer.text)
  if (answer.calls.length > 0 && !isClosing) {
    const calls = await journal.wants({ text, calls: answer.calls.map(shortened) })
    await journal.step(entry, detail)
    return calls
  }
  await journal.step(entry, detail, true)
  await journal.ends(ending(answer, text, isCut, isClosing, task.model))
  return []
}

async function attempt(
  task: Asking,
  round: number,
  isClosing: boolean,
  journal: Journal,
  signal: AbortSignal,
): Promise<Answer> {
  for (;;) {
    const { messages, tokens } = journal.history()
    const request: ModelRequest = {
      system: task.system,
      messages,
      tools: task.offered,
      toolChoice: isClosing ? 'none' : 'auto',
      maxTokens: task.maxTokens,
    }
    await task.reserve(round, tokens + task.maxTokens)
    try {
      return await task.model.ask(request, signal)
    } catch (error) {
      if (!(error instanceof ModelError) || !(await task.withdraw(error, messages))) throw error
    }
  }
}

function ending(
  { stop }: Answer,
  text: string,
  isCut: boolean,
  isClosing: boolean,
  model: Model,
): { text: string; notice?: Notice } {
  if (stop === 'context' && text.trim() === '') {
    throw new ModelError('model.tooLarge', 'The conversation does not fit into the window of the model.')
  }
  const isTruncated = isCut || stop === 'length' || stop === 'context'
  const said = text.trim() === '' ? fallback(isTruncated, isClosing) : text
  if (isTruncated) return { text: said, notice: 'truncated' }
  return model.about.isAI ? { text: said } : { text: said, notice: 'demo' }
}

function fallback(isTruncated: boolean, isClosing: boolean): string {
  if (isTruncated) return sentences.cut
  return isClosing ? sentences.rounds : sentences.none
}

function cut(text: string): { text: string; isCut: boolean } {
  const bytes = Buffer.from(text)
  if (bytes.length <= maxAnswerBytes) return { text, isCut: false }
  return {
    text: new TextDecoder().decode(bytes.subarray(0, maxAnswerBytes)).replace(/\uFFFD+$/, ''),
    isCut: true,
  }
}

/** Arguments beyond the limit are not stored: the call is kept, so that it can be answered with an error. */
function shortened(call: ToolCall): ToolCall {
  if (Buffer.byteLength(JSON.stringify(call.arguments)) <= maxAnswerBytes) return call
  return { ...call, arguments: {} }
}
