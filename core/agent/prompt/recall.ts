import { fence } from '../../base/safety/fence.ts'
import type { ImageBlock, Message } from '../../conversation/transcript/schema.ts'
import type { Part, UserBlock } from '../../model/model.ts'

/**
 * Quotes the important parts of turns that a request leaves out: the first request, standing orders, and the summary of
 * the rest.
 */

const leftOut = '[Earlier turns of this conversation no longer fit and are left out.]'
const still = 'The user said in them, and it still holds:'
const rest = 'A summary of them, which a model wrote; look things up again before you rely on them:'

/** The summary of all turns before the sequence `until`; `quote` returns it cut to a number of characters. */
export type Summary = { until: number; quote(characters: number): string }

/** The maximum number of characters of one quoted sentence, and of the first request. */
const sentenceLength = 300
const requestLength = 1_500

/** The words of an order that applies beyond its turn, in the languages of the interface. */
const standing = new RegExp(
  `(?<!\\p{L})(?:${[
    "never|always|from now on|(?:do not|don['’]t|must not|only) (?:ever|touch|change|edit|delete|publish|rename|move|use|write)",
    'hands off|keep in mind|remember',
    'nie|niemals|immer|ab jetzt|ab sofort|künftig|auf keinen fall|finger weg',
    'nicht (?:ändern|anfassen|löschen|veröffentlichen|umbenennen|verschieben|benutzen|verwenden)',
    'jamais|toujours|désormais|dorénavant|à partir de maintenant',
    "n(?:e |['’])(?:(?:la|le|les|y) |l['’])?(?:touch|modifi|chang|supprim|publi|renomm|déplac|utilis)\\p{L}{0,6} (?:pas|plus)",
  ].join('|')})(?!\\p{L})`,
  'iu',
)

/** Returns the newest summary in the transcript, with its text inside the fence; undefined if there is none. */
export function newestSummary(rows: readonly Message[], nonce: string): Summary | undefined {
  const row = rows.findLast(({ notice }) => notice === 'summarised')
  if (!row) return undefined
  const { until = 0, content } = row
  return { until, quote: (characters) => fence(nonce, 'summary', cutText(content, characters)) }
}

/**
 * Returns the note about left-out turns. All quotes together have at most `characters` characters, and the summary also
 * has at most `characters`.
 */
export function recall(turns: Turn[], characters: number, summary?: Summary): string {
  const said = turns.flat().flatMap((entry) => (entry.kind === 'user' ? [entry.text.trim()] : []))
  const [first = '', ...others] = said.filter((text) => text !== '')
  const request = cutText(first, Math.min(requestLength, characters))
  let room = characters - request.length
  const orders: string[] = []
  // Newer orders come first, because they count more than older orders.
  for (const order of ordersIn([first.slice(request.length), ...others]).reverse()) {
    if (order.length > room) continue
    room -= order.length
    orders.unshift(order)
  }
  const quoted = [...(request ? [request] : []), ...orders].map((text) => `- ${JSON.stringify(text)}`)
  return [
    leftOut,
    ...(quoted.length > 0 ? [still, ...quoted] : []),
    ...(summary && characters > 0 ? [rest, summary.quote(characters)] : []),
  ].join('\n')
}

/** Returns the sentences that are standing orders, each once. */
function ordersIn(texts: string[]): string[] {
  const sentences = texts.flatMap((text) => text.split(/(?<=[.!?])\s+|\n+/))
  return [
    ...new Set(
      sentences.filter((text) => standing.test(text)).map((text) => cutText(text.trim(), sentenceLength)),
    ),
  ]
}

function cutText(text: string, characters: number): string {
  return text.length <= characters ? text : text.slice(0, characters).toWellFormed()
}

/** One turn as the model reads it: everything from a user message to the next one, results with their calls. */
export type Turn = Entry[]

/** The content of a row, without fields that only the interface needs. */
export type Entry =
  | { kind: 'user'; blocks: UserBlock[]; text: string; attachmentTokens: number; sequence: number }
  | { kind: 'note'; text: string }
  | { kind: 'assistant'; text: string; calls: Call[]; parts?: Part[] }

/** A call with its result; the id is unique within the request. */
export type Call = {
  id: string
  name: string
  arguments: Record<string, unknown>
  result: { text: string; isError: boolean; images?: ImageBlock[] }
  /** True if the user decided on the call, or answered it. */
  isDecided?: boolean
}
