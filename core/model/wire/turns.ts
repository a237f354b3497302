import { type Block, blocksOf, type ModelFacts, type PlacedBlock, type WireRequest } from './shape.ts'

/** Rules of turns: the author of the first and last one, no empty text, and one result for every tool call. */

/** Adjacent messages of one role; `index` is the index of the first message. */
type Turn = { role: PlacedBlock['role']; index: number; placed: PlacedBlock[] }

/** Returns the first broken rule in the API's words; undefined if there is none. */
export function brokenTurn(request: WireRequest, facts: ModelFacts): string | undefined {
  const turns = turnsOf(request)
  return (
    brokenContent(request) ??
    brokenSystem(request, facts) ??
    brokenRoles(turns) ??
    brokenCitations(request, facts) ??
    brokenPairing(turns) ??
    brokenEnd(turns, facts)
  )
}

function turnsOf({ messages }: WireRequest): Turn[] {
  const turns: Turn[] = []
  for (const [index, message] of messages.entries()) {
    const placed = blocksOf(message, index).filter(({ isInner }) => !isInner)
    const last = turns.at(-1)
    if (last?.role === message.role) last.placed.push(...placed)
    else turns.push({ role: message.role, index, placed })
  }
  return turns
}

function brokenContent({ messages }: WireRequest): string | undefined {
  const empty = messages.findIndex(
    ({ role, content }, index) =>
      content.length === 0 && !(role === 'assistant' && index === messages.length - 1),
  )
  if (empty >= 0)
    return `messages.${empty}: all messages must have non-empty content except for the optional final assistant message`
  const texts = messages
    .flatMap(blocksOf)
    .flatMap(({ block }) => (block.type === 'search_result' ? block.content : [block]))
    .flatMap((block) => (block.type === 'text' ? [block.text] : []))
  if (texts.includes('')) return 'messages: text content blocks must be non-empty'
  return texts.some((text) => text.trim() === '')
    ? 'messages: text content blocks must contain non-whitespace text'
    : undefined
}

/** Checks system messages: each must directly follow a user message, and only an answer may follow it. */
function brokenSystem({ messages }: WireRequest, { systemMessages }: ModelFacts): string | undefined {
  const at = messages.findIndex(({ role }, index) => {
    const isPlaced =
      messages[index - 1]?.role === 'user' && (messages[index + 1]?.role ?? 'assistant') === 'assistant'
    return role === 'system' && !(systemMessages && isPlaced)
  })
  if (at < 0) return undefined
  if (at === 0) return "messages.0: use the top-level 'system' parameter for the initial system prompt"
  return systemMessages
    ? `messages.${at}: a system message must follow a user message, and be last or be followed by an assistant message`
    : "role 'system' is not supported on this model"
}

const forbidden: Record<Turn['role'], Block['type'][]> = {
  user: ['tool_use', 'thinking', 'redacted_thinking'],
  assistant: ['tool_result', 'document', 'search_result', 'image'],
  system: ['tool_use', 'tool_result', 'document', 'search_result', 'image', 'thinking', 'redacted_thinking'],
}

function brokenRoles(turns: Turn[]): string | undefined {
  if (turns[0]?.role !== 'user') return 'messages: first message must use the "user" role'
  return firstOf(
    turns.flatMap(({ placed }) => placed),
    brokenBlock,
  )
}

function brokenBlock({ block, path, role }: PlacedBlock): string | undefined {
  if (forbidden[role].includes(block.type))
    return `${path}: \`${block.type}\` blocks are not permitted in \`${role}\` messages`
  if (role === 'user' && block.type === 'text' && block.citations?.length)
    return `${path}.text.citations: citations are not permitted in \`user\` messages`
  if (block.type === 'thinking' && !/^[A-Za-z0-9+/]+={0,2}$/.test(block.signature))
    return `${path}: Invalid \`signature\` in \`thinking\` block`
  const isError = block.type === 'tool_result' && block.is_error
  return isError && block.content?.some(({ type }) => type !== 'text')
    ? `${path}: all content must be type "text" if "is_error" is true`
    : undefined
}

/** Returns the first answer of a rule about a list; undefined if the rule finds nothing wrong. */
function firstOf<T>(list: T[], broken: (entry: T, at: number) => string | undefined): string | undefined {
  for (const [at, entry] of list.entries()) {
    const found = broken(entry, at)
    if (found) return found
  }
  return undefined
}

/** Checks that citations are enabled for all search results and documents of a request, or for none. */
function brokenCitations({ messages }: WireRequest, { citations }: ModelFacts): string | undefined {
  const sources = messages
    .flatMap(blocksOf)
    .flatMap(({ block, path }) =>
      block.type === 'search_result' || block.type === 'document'
        ? [{ path, type: block.type, cites: block.citations?.enabled === true }]
        : [],
    )
  const result = sources.find(({ type }) => type === 'search_result')
  if (result && !citations) return `${result.path}: 'search_result' blocks are not supported on this model`
  const odd = sources.find(({ cites }) => cites !== sources[0]?.cites)
  return odd && `${odd.path}: citations must be enabled on all or none of the documents and search results`
}

/** Checks that each call has a unique id and one result, which follows in the next message. */
function brokenPairing(turns: Turn[]): string | undefined {
  const calls = turns
    .flatMap(({ placed }) => placed)
    .flatMap(({ block, path }) => (block.type === 'tool_use' ? [{ id: block.id, path }] : []))
  const [, twice] = [...Map.groupBy(calls, ({ id }) => id).values()].find(({ length }) => length > 1) ?? []
  if (twice) return `${twice.path}: \`tool_use\` ids must be unique`
  return firstOf(
    turns,
    (turn, at) => brokenResults(turn, usesOf(turns[at - 1])) ?? brokenAnswer(turn, turns[at + 1]),
  )
}

function brokenResults({ placed }: Turn, uses: string[]): string | undefined {
  const answered = new Set<string>()
  return firstOf(placed, ({ block, path }) => {
    if (block.type !== 'tool_result') return undefined
    const id = block.tool_use_id
    if (!uses.includes(id))
      return `${path}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`
    if (answered.has(id))
      return `${path}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`
    answered.add(id)
    return undefined
  })
}

/**
 * Checks the results of a turn. Only results at the very start of the next turn count: text before them leaves the
 * calls without results.
 */
function brokenAnswer(turn: Turn, next: Turn | undefined): string | undefined {
  const results =
    next?.placed.map(({ block }) => (block.type === 'tool_result' ? block.tool_use_id : '')) ?? []
  const leading = results.slice(0, results.includes('') ? results.indexOf('') : undefined)
  const open = usesOf(turn).filter((id) => !leading.includes(id))
  if (open.length === 0) return undefined
  return `messages.${turn.index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`
}

function usesOf(turn: Turn | undefined): string[] {
  return (turn?.placed ?? []).flatMap(({ block }) => (block.type === 'tool_use' ? [block.id] : []))
}

function brokenEnd(turns: Turn[], { prefill }: ModelFacts): string | undefined {
  const last = turns.at(-1)
  if (last?.role !== 'assistant') return undefined
  if (!prefill)
    return 'This model does not support assistant message prefill. The conversation must end with a user message.'
  const block = last.placed.at(-1)?.block
  return block?.type === 'text' && block.text.trimEnd() !== block.text
    ? 'messages: final assistant content cannot end with trailing whitespace'
    : undefined
}
