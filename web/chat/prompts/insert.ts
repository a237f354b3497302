import { fill } from '../view/message-field.ts'
import type { View } from '../view/view.ts'

/** A prompt that can be put into a message. */
type Prompt = { title: string; text: string }

const variable = /\{([\p{L}\p{N}][\p{L}\p{N} _-]{0,39})\}/gu

/** The variables of a text, each once, in their order: `{topic}` is the variable `topic`. */
export const variablesOf = (text: string): string[] => [
  ...new Set([...text.matchAll(variable)].map(([, name]) => name ?? '')),
]

/** The text with a value in the place of each variable; one without a value stays as it is. */
export const filled = (text: string, values: ReadonlyMap<string, string>): string =>
  text.replace(variable, (whole, name: string) => values.get(name) || whole)

/** The prompt whose variables are being asked for, with its place in the message. */
export const askedPrompts = new WeakMap<View, { prompt: Prompt; at: number | null }>()

/** Puts a prompt into the message where its sign stood, else behind what is written; asks for its variables first. */
export function insert(view: View, prompt: Prompt, at: number | null): void {
  if (variablesOf(prompt.text).length > 0) {
    askedPrompts.set(view, { prompt, at })
    view.ui.set({ dialog: 'variables' })
  } else put(view, prompt.text, at)
}

/** Puts words into the message, with the cursor behind them. */
export function put(view: View, words: string, at: number | null): void {
  const { draft } = view.conversation
  const from = at ?? draft.length
  const before = draft.slice(0, from)
  const lead = before === '' || /\s$/.test(before) ? before : `${before} `
  fill(view, `${lead}${words}${draft.slice(from)}`)
  const caret = lead.length + words.length
  view.find<HTMLTextAreaElement>('#message')?.setSelectionRange(caret, caret)
}
