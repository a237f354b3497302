import { fill } from '../view/field.ts'
import type { View } from '../view/view.ts'
import { type Prompt, variablesOf } from './variables.ts'

/** The prompt whose variables are being asked for, with its place in the message. */
export const asked = new WeakMap<View, { prompt: Prompt; at: number | null }>()

/** Puts a prompt into the message where its sign stood, else behind what is written; asks for its variables first. */
export function insert(view: View, prompt: Prompt, at: number | null): void {
  if (variablesOf(prompt.text).length > 0) {
    asked.set(view, { prompt, at })
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
