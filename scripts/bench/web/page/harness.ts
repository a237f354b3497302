import { type Message, messages } from './messages.ts'

/** How a chat is put on the page, and how it gets a message more. */
export type Adapter = {
  mount(place: HTMLElement, history: Message[]): unknown
  append(message: Message, at: number): unknown
  /** The field for the next message, as soon as it is there. */
  input(): Element | undefined
}

/** What the page tells of itself once the chat stands. */
export type Told = { inputMs: number; renderMs: number; shown: number; error?: string }

declare global {
  interface Window {
    bench: {
      told: Told | null
      /** The field for the next message, with the focus in it. */
      usable(): Element | undefined
      /** Adds a message; milliseconds until it is painted, -1 when it never is. */
      append(): Promise<number>
    }
  }
}

/** All elements below a node, those in open shadow roots too. */
function* deep(root: Node): Generator<Element> {
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_ELEMENT)
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    yield node as Element
    const { shadowRoot } = node as Element
    if (shadowRoot) yield* deep(shadowRoot)
  }
}

/** The first element that matches, wherever it is. */
export function find(selector: string): HTMLElement | undefined {
  for (const element of deep(document.body)) if (element.matches(selector)) return element as HTMLElement
  return undefined
}

function text(): string {
  let all = document.body.textContent ?? ''
  for (const { shadowRoot } of deep(document.body)) if (shadowRoot) all += `\n${shadowRoot.textContent}`
  return all
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

const patienceMs = 120_000

/** Mounts the chat with as many messages as the address asks for, and measures it. */
export function run(adapter: Adapter): void {
  const count = Number(new URLSearchParams(location.search).get('n') ?? 0)
  const all = messages(count + 40)
  const history = all.slice(0, count)
  const more = all.slice(count).filter(({ role }) => role === 'assistant')
  let at = 0
  window.bench = {
    told: null,
    usable: () => usable(adapter),
    append: () => append(adapter, more[at++] as Message, at),
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
    if (now - startedAt > patienceMs) throw new Error('It did not get ready')
  }
  if (last) await settled()
  const seen = text()
  return { inputMs, renderMs, shown: history.filter(({ id }) => seen.includes(id)).length }
}

/** Resolves when no element has come or gone for a second. */
async function settled(): Promise<void> {
  let count = -1
  for (let since = performance.now(); performance.now() - since < 1_000; ) {
    await new Promise((done) => setTimeout(done, 200))
    let now = 0
    for (const _ of deep(document.body)) now += 1
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

async function append(adapter: Adapter, message: Message, at: number): Promise<number> {
  const startedAt = performance.now()
  const seen = new Promise<boolean>((done) => {
    const roots: Node[] = [document.body]
    for (const { shadowRoot } of deep(document.body)) if (shadowRoot) roots.push(shadowRoot)
    const observer = new MutationObserver((records) => {
      const isHere = records.some(({ addedNodes, target }) =>
        [...addedNodes, target].some((node) =>
          node.nodeType === 3 || node.nodeType === 1 ? has(node, message.id) : false,
        ),
      )
      if (isHere) end(true)
    })
    const slow = setInterval(() => text().includes(message.id) && end(true), 1_500)
    const late = setTimeout(() => end(false), 15_000)
    const end = (isSeen: boolean) => {
      observer.disconnect()
      clearInterval(slow)
      clearTimeout(late)
      done(isSeen)
    }
    for (const root of roots) observer.observe(root, { childList: true, subtree: true, characterData: true })
  })
  await adapter.append(message, at)
  return (await seen) ? (await frame()) - startedAt : -1
}

/** Only what came is looked at: the text of a whole log would be the larger part of what is measured. */
function has(node: Node, id: string): boolean {
  if (node === document.body || (node as Element).classList?.contains('log-inner')) return false
  return node.textContent?.includes(id) ?? false
}
