import type { Turn } from './entry.ts'

/** Quotes what has to be remembered of turns that a request leaves out: the first request, and standing orders. */

const leftOut = '[Earlier turns of this conversation no longer fit and are left out.]'
const still = 'The user said in them, and it still holds:'
/** Most characters of one quoted sentence, and of the first request. */
const sentenceLength = 300
const requestLength = 1_500

/** The words of an order that holds for more than its turn, in the languages of the interface. */
const standing = new RegExp(
  `(?<!\\p{L})(?:${[
    "never|always|from now on|(?:do not|don't|must not|only) (?:ever|touch|change|edit|delete|publish|rename|move|use|write)",
    'hands off|keep in mind|remember',
    'nie|niemals|immer|ab jetzt|ab sofort|künftig|auf keinen fall|finger weg',
    'nicht (?:ändern|anfassen|löschen|veröffentlichen|umbenennen|verschieben|benutzen|verwenden)',
    'jamais|toujours|désormais|dorénavant|à partir de maintenant',
    'ne (?:touch|modifi|chang|supprim|publi|renomm|déplac|utilis)\\p{L}{0,6} (?:pas|plus)',
  ].join('|')})(?!\\p{L})`,
  'iu',
)

/** The note about turns that are left out, in at most so many characters more than its first sentence. */
export function recall(turns: Turn[], characters: number): string {
  const said = turns.flat().flatMap((entry) => (entry.kind === 'user' ? [entry.text.trim()] : []))
  const [first = '', ...others] = said.filter((text) => text !== '')
  const request = cutText(first, Math.min(requestLength, characters))
  let room = characters - request.length
  const orders: string[] = []
  // Newer orders count more than older ones.
  for (const order of ordersIn([first.slice(request.length), ...others]).reverse()) {
    if (order.length > room) continue
    room -= order.length
    orders.unshift(order)
  }
  const quoted = [...(request ? [request] : []), ...orders].map((text) => `- ${JSON.stringify(text)}`)
  return quoted.length > 0 ? [leftOut, still, ...quoted].join('\n') : leftOut
}

/** The sentences that are standing orders, each once. */
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
