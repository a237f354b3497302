import { type Message, messages } from './messages.ts'

/** The ways to put a chat on the page and to give it one more message. */
export type Adapter = {
  mount(place: HTMLElement, history: Message[]): unknown
  append(message: Message, at: number): unknown
  /** Does the work that waits for idle time, and all later work of that kind as it comes. */
  idle?(): Promise<void>
  /** The field for the next message, as soon as it is there. */
  input(): Element | undefined
}

/** The page's own measurements once the chat is ready. */
export type Told = { inputMs: number; renderMs: number; shown: number; error?: string }

declare global {
  interface Window {
    bench: {
      told: Told | null
      /** The field for the next message, with the focus in it. */
      usable(): Element | undefined
      /** Lets the chat fetch the parts that it may need later; resolves when that is done. */
      idle(): Promise<void>
      /** Adds the next message, of user and assistant in turn; milliseconds until it is painted, -1 when it never is. */
      append(): Promise<number>
    }
  }
}

type Root = Document | ShadowRoot

/** Those of the page once the chat stands. */
let known: Root[] = []

/** The document and every open shadow root in it. */
function roots(): Root[] {
  const found: Root[] = [document]
  for (const root of found)
    for (const { shadowRoot } of root.querySelectorAll('*')) if (shadowRoot) found.push(shadowRoot)
  return found
}

/** The first element that matches, wherever it is. */
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

/** The moment behind the next painted frame. */
export function frame(): Promise<number> {
  return new Promise((done) =>
    requestAnimationFrame(() => {
      const channel = new MessageChannel()
      channel.port1.onmessage = () => done(performance.now())
      channel.port2.postMessage(0)
    }),
  )
}

const readyTimeoutMs = 120_000

/** Mounts the chat with as many messages as the address asks for, and measures it. */
export function run(adapter: Adapter): void {
  const count = Number(new URLSearchParams(location.search).get('n') ?? 0)
  const all = messages(count + 40)
  const history = all.slice(0, count)
  const more = all.slice(count)
  let at = 0
  window.bench = {
    told: null,
    usable: () => usable(adapter),
    idle: async () => adapter.idle?.(),
    append: () => appendAnswer(adapter, more[at++] as Message, at),
  }
  measure(adapter, history).then(
    (told) => {
      window.bench.told = told
    },
    (error: unknown) => {
      window.bench.told = { inputMs: 0, renderMs: 0, shown: 0, error: String(error) }
    },
  )
}

async function measure(adapter: Adapter, history: Message[]): Promise<Told> {
  const startedAt = performance.now()
  await adapter.mount(document.getElementById('app') as HTMLElement, history)
  const last = history.at(-1)?.id
  let inputMs = 0
  let renderMs = 0
  while (inputMs === 0 || (last && renderMs === 0)) {
    const now = await frame()
    if (inputMs === 0 && usable(adapter)) inputMs = now
    if (last && renderMs === 0 && text().includes(last)) renderMs = (await frame()) - startedAt
    if (now - startedAt > readyTimeoutMs) throw new Error('It did not get ready')
  }
  known = roots()
  if (last) await settled()
  const ids = new Set(text().match(/M-\d{5}/g))
  return { inputMs, renderMs, shown: history.filter(({ id }) => ids.has(id)).length }
}

/** Resolves when no element has come or gone for a second. Counted by the browser, which costs next to nothing. */
async function settled(): Promise<void> {
  let count = -1
  for (let since = performance.now(); performance.now() - since < 1_000; ) {
    await new Promise((done) => setTimeout(done, 250))
    const now = known.reduce((sum, root) => sum + root.querySelectorAll('*').length, 0)
    if (now !== count) since = performance.now()
    count = now
  }
}

function usable(adapter: Adapter): Element | undefined {
  const input = adapter.input() as HTMLInputElement | undefined
  if (!input || input.disabled || input.readOnly) return undefined
  const { width, height } = input.getBoundingClientRect()
  if (width < 20 || height < 8) return undefined
  input.focus()
  let active = document.activeElement
  while (active?.shadowRoot?.activeElement) active = active.shadowRoot.activeElement
  return active && (active === input || input.contains(active)) ? input : undefined
}

async function appendAnswer(adapter: Adapter, message: Message, at: number): Promise<number> {
  const startedAt = performance.now()
  const seen = new Promise<boolean>((done) => {
    const observer = new MutationObserver((records) => {
      if (records.some((record) => came(record).some((node) => node.textContent?.includes(message.id))))
        end(true)
    })
    const slow = setInterval(() => text().includes(message.id) && end(true), 1_500)
    const late = setTimeout(() => end(false), 15_000)
    const end = (isSeen: boolean) => {
      observer.disconnect()
      clearInterval(slow)
      clearTimeout(late)
      done(isSeen)
    }
    for (const root of known) observer.observe(root, { childList: true, subtree: true, characterData: true })
  })
  await adapter.append(message, at)
  return (await seen) ? (await frame()) - startedAt : -1
}

/** Searches only the added nodes: reading the text of a whole log would dominate the measurement. */
function came({ type, target, addedNodes }: MutationRecord): Node[] {
  return type === 'characterData' ? [target] : [...addedNodes]
}
