import { html, type TemplateResult } from 'lit'
import { closer, frame } from '../view/dialog-frame.ts'
import { fill } from '../view/message-field.ts'
import type { View } from '../view/view.ts'

/** A prompt that the user can insert into a message. */
type Prompt = { title: string; text: string }

const variable = /\{([\p{L}\p{N}][\p{L}\p{N} _-]{0,39})\}/gu

/** Returns the variables of a text, each once, in order: `{topic}` is the variable `topic`. */
const variablesOf = (text: string): string[] => [
  ...new Set([...text.matchAll(variable)].map(([, name]) => name ?? '')),
]

/** Returns the text with each variable replaced by its value; a variable without a value stays as it is. */
const filled = (text: string, values: ReadonlyMap<string, string>): string =>
  text.replace(variable, (whole, name: string) => values.get(name) || whole)

/** Inserts a prompt into the message at position `at`, by default at the end. Asks for the prompt's variables first. */
export function insert(view: View, prompt: Prompt, at: number | null): void {
  const names = variablesOf(prompt.text)
  if (names.length > 0) view.ui.set({ dialog: () => variables(view, prompt, names, at) })
  else put(view, prompt.text, at)
}

/** Inserts text into the message, and moves the cursor after it. */
function put(view: View, words: string, at: number | null): void {
  const { draft } = view.conversation
  const from = at ?? draft.length
  const before = draft.slice(0, from)
  const lead = before === '' || /\s$/.test(before) ? before : `${before} `
  fill(view, `${lead}${words}${draft.slice(from)}`)
  const caret = lead.length + words.length
  view.find<HTMLTextAreaElement>('#message')?.setSelectionRange(caret, caret)
}

/** Draws the dialog with a field for each variable of a prompt; its button inserts the prompt with these values. */
function variables(view: View, prompt: Prompt, names: string[], at: number | null): TemplateResult {
  const { t } = view
  const close = closer(view)
  const use = (event: Event) => {
    event.preventDefault()
    const data = new FormData(event.target as HTMLFormElement)
    const values = new Map(names.map((name, nth) => [name, String(data.get(`v${nth}`) ?? '').trim()]))
    close()
    put(view, filled(prompt.text, values), at)
  }
  const body = html`<form class="dialog-body" id="variables" @submit=${use}>
      <p dir="auto">${prompt.text}</p>
      ${names.map(
        (name, nth) => html`<div class="field">
          <label for="v${nth}">${name}</label>
          <input class="input" id="v${nth}" name="v${nth}" dir="auto" autocomplete="off" ?autofocus=${nth === 0} />
        </div>`,
      )}
    </form>
    <div class="row dialog-foot">
      <span class="grow" aria-hidden="true"></span>
      <button class="btn" type="button" @click=${close}>${t('app.cancel')}</button>
      <button class="btn btn-primary" type="submit" form="variables">${t('prompts.use')}</button>
    </div>`
  return frame(view, prompt.title, body, close)
}
