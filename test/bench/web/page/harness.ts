import { type Message, messages } from './messages.ts'

/** The functions that mount a chat on the page and add messages to it. */
export type Adapter = {
  mount(place: HTMLElement, history: Message[]): unknown
  append(message: Message): void
  /** Does the work that waits for idle time, and does all later idle work at once. */
  idle?(): Promise<void>
  /** Returns the field for the next message; undefined until it exists. */
  input(): HTMLElement | undefined
}

/** The page's own measurements after the chat is ready. */
export type Told = { inputMs: number; shown: number; error?: string }

declare global {
  interface Window {
    bench: {
      told: Told | null
      /** Focuses the field for the next message; true if the field accepts a message. */
      usable(): boolean
      /** Lets the chat fetch the parts that it may need later; resolves when they are loaded. */
      idle(): Promise<void>
      /** Adds the next message, alternately by user and assistant; resolves when it is painted. */
      append(): Promise<void>
    }
  }
}

type Root = Document | ShadowRoot

/** The roots of the page after the chat is mounted. */
let known: Root[] = []

/** Returns the document and every open shadow root in it. */
function roots(): Root[] {
  const found: Root[] = [document]
  for (const root of found)
    for (const { shadowRoot } of root.querySelectorAll('*')) if (shadowRoot) found.push(shadowRoot)
  return found
}

/** Returns the first element that matches in the document or in an open shadow root. */
export function find(selector: string): HTMLElement | undefined {
  for (const root of roots()) {
    const found = root.querySelector<HTMLElement>(selector)
    if (found) return found
  }
  return undefined
}

function text(): string {
  return roots()
    .map((root) => ('body' in root ? root.body : root).textContent)
    .join('\n')
}

/** Resolves with the time after the next painted frame. */
function frame(): Promise<number> {
  return new Promise((done) =>
    requestAnimationFrame(() => {
      const channel = new MessageChannel()
      channel.port1.onmessage = () => done(performance.now())
      channel.port2.postMessage(0)
    }),
  )
}

const readyTimeoutMs = 120_000
const appendTimeoutMs = 15_000

/** Mounts the chat with the number of messages in the page's address, and measures it. */
export function run(adapter: Adapter): void {
  const count = Number(new URLSearchParams(location.search).get('n') ?? 0)
  const all = messages(count + 40)
  const history = all.slice(0, count)
  const more = all.slice(count)
  window.bench = {
    told: null,
    usable: () => isUsable(adapter),
    idle: async () => adapter.idle?.(),
    append: () => appendMessage(adapter, more.shift() as Message),
  }
  measure(adapter, history).then(
    (told) => {
      window.bench.told = told
    },
    (error: unknown) => {
      window.bench.told = { inputMs: 0, shown: 0, error: String(error) }
    },
  )
}

async function measure(adapter: Adapter, history: Message[]): Promise<Told> {
  const startedAt = performance.now()
  await adapter.mount(document.getElementById('app') as HTMLElement, history)
  const last = history.at(-1)?.id
  let inputMs = 0
  let isDrawn = last === undefined
  while (inputMs === 0 || !isDrawn) {
    const now = await frame()
    if (inputMs === 0 && isUsable(adapter)) inputMs = now
    isDrawn ||= text().includes(last as string)
    if (now - startedAt > readyTimeoutMs) throw new Error('It did not get ready')
  }
  known = roots()
  if (last) await settled()
  const ids = new Set(text().match(/M-\d{5}/g))
  return { inputMs, shown: history.filter(({ id }) => ids.has(id)).length }
}

/** Resolves when the number of elements has not changed for a second. The browser counts them at almost no cost. */
async function settled(): Promise<void> {
  let count = -1
  for (let since = performance.now(); performance.now() - since < 1_000; ) {
    await new Promise((done) => setTimeout(done, 250))
    const now = known.reduce((sum, root) => sum + root.querySelectorAll('*').length, 0)
    if (now !== count) since = performance.now()
    count = now
  }
}

function isUsable(adapter: Adapter): boolean {
  const input = adapter.input() as HTMLTextAreaElement | undefined
  if (!input || input.disabled || input.readOnly || input.getClientRects().length === 0) return false
  input.focus()
  return (input.getRootNode() as Root).activeElement === input
}

/** Searches only added nodes for the message: reading the text of a whole log would dominate the measurement. */
async function appendMessage(adapter: Adapter, { id, ...message }: Message): Promise<void> {
  const seen = new Promise<void>((done, fail) => {
    const late = setTimeout(() => fail(new Error(`The message ${id} was not drawn`)), appendTimeoutMs)
    const observer = new MutationObserver((records) => {
      const added = records.flatMap(({ addedNodes }) => [...addedNodes])
      if (!added.some((node) => node.textContent?.includes(id))) return
      observer.disconnect()
      clearTimeout(late)
      done()
    })
    for (const root of known) observer.observe(root, { childList: true, subtree: true })
  })
  adapter.append({ id, ...message })
  await seen
  await frame()
}
