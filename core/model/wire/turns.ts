import type { Block, ModelFacts, WireMessage, WireRequest } from './shape.ts'

/** Rules of turns: the author of the first and last one, no empty text, and one result for every tool call. */

type Placed = { block: Block; path: string }
type Turn = { role: WireMessage['role']; index: number; placed: Placed[] }

/**
 * The first broken rule in the API's words; undefined if there is none. `prefill`: the request may contain the start
 * of the answer.
 */
export function brokenTurn(
  request: WireRequest,
  { prefill, systemMessages, citations }: Pick<ModelFacts, 'prefill' | 'systemMessages' | 'citations'>,
): string | undefined {
  const turns = merged(request.messages)
  return (
    brokenContent(request.messages) ??
    brokenSystem(request.messages, systemMessages) ??
    brokenRoles(turns) ??
    brokenCitations(turns, citations) ??
    brokenUniqueness(turns) ??
    brokenPairing(turns) ??
    brokenEnd(turns, prefill)
  )
}

/** Merges adjacent messages of one role into a turn; `index` is that of the first. */
function merged(messages: WireMessage[]): Turn[] {
  const turns: Turn[] = []
  for (const [index, { role, content }] of messages.entries()) {
    const placed = content.map((block, at) => ({ block, path: `messages.${index}.content.${at}` }))
    const last = turns.at(-1)
    if (last?.role === role) last.placed.push(...placed)
    else turns.push({ role, index, placed })
  }
  return turns
}

function brokenContent(messages: WireMessage[]): string | undefined {
  for (const [index, { role, content }] of messages.entries()) {
    const mayBeEmpty = role === 'assistant' && index === messages.length - 1
    if (content.length === 0 && !mayBeEmpty) {
      return `messages.${index}: all messages must have non-empty content except for the optional final assistant message`
    }
    const texts = content
      .flatMap((block) => [block, ...inner(block)])
      .flatMap((block) => (block.type === 'search_result' ? block.content : [block]))
      .filter((block) => block.type === 'text')
    if (texts.some(({ text }) => text === '')) return 'messages: text content blocks must be non-empty'
    if (texts.some(({ text }) => text.trim() === '')) {
      return 'messages: text content blocks must contain non-whitespace text'
    }
  }
  return undefined
}

/** A system message stands right behind one of the user, and nothing but an answer follows it. */
function brokenSystem(messages: WireMessage[], isTaken: boolean): string | undefined {
  const at = messages.findIndex(({ role }, index) => {
    const isPlaced =
      messages[index - 1]?.role === 'user' && (messages[index + 1]?.role ?? 'assistant') === 'assistant'
    return role === 'system' && !(isTaken && isPlaced)
  })
  if (at < 0) return undefined
  if (at === 0) return "messages.0: use the top-level 'system' parameter for the initial system prompt"
  return isTaken
    ? `messages.${at}: a system message must follow a user message, and be last or be followed by an assistant message`
    : "role 'system' is not supported on this model"
}

function inner(block: Block): Block[] {
  return block.type === 'tool_result' ? (block.content ?? []) : []
}

const forbidden: Record<WireMessage['role'], Block['type'][]> = {
  user: ['tool_use', 'thinking', 'redacted_thinking'],
  assistant: ['tool_result', 'document', 'search_result', 'image'],
  system: ['tool_use', 'tool_result', 'document', 'search_result', 'image', 'thinking', 'redacted_thinking'],
}

function brokenRoles(turns: Turn[]): string | undefined {
  if (turns[0]?.role !== 'user') return 'messages: first message must use the "user" role'
  for (const { role, placed } of turns) {
    for (const { block, path } of placed) {
      if (forbidden[role].includes(block.type)) {
        return `${path}: \`${block.type}\` blocks are not permitted in \`${role}\` messages`
      }
      if (role === 'user' && block.type === 'text' && block.citations?.length) {
        return `${path}.text.citations: citations are not permitted in \`user\` messages`
      }
      if (block.type === 'thinking' && !/^[A-Za-z0-9+/]+={0,2}$/.test(block.signature)) {
        return `${path}: Invalid \`signature\` in \`thinking\` block`
      }
      if (
        block.type === 'tool_result' &&
        block.is_error &&
        block.content?.some(({ type }) => type !== 'text')
      ) {
        return `${path}: all content must be type "text" if "is_error" is true`
      }
    }
  }
  return undefined
}

/** Citations are for all search results and documents of a request, or for none. */
function brokenCitations(turns: Turn[], isTaken: boolean): string | undefined {
  const blocks = turns
    .flatMap(({ placed }) => placed)
    .flatMap(({ block, path }) => [block, ...inner(block)].map((one) => ({ block: one, path })))
  const enabled = blocks.flatMap(({ block, path }) =>
    block.type === 'search_result' || block.type === 'document'
      ? [{ path, isResult: block.type === 'search_result', cites: block.citations?.enabled === true }]
      : [],
  )
  const [result] = enabled.filter(({ isResult }) => isResult)
  if (result && !isTaken) return `${result.path}: 'search_result' blocks are not supported on this model`
  const odd = enabled.find(({ cites }) => cites !== enabled[0]?.cites)
  return odd && `${odd.path}: citations must be enabled on all or none of the documents and search results`
}

function brokenUniqueness(turns: Turn[]): string | undefined {
  const seen = new Set<string>()
  for (const { block, path } of turns.flatMap((turn) => turn.placed)) {
    if (block.type !== 'tool_use') continue
    if (seen.has(block.id)) return `${path}: \`tool_use\` ids must be unique`
    seen.add(block.id)
  }
  return undefined
}

function brokenPairing(turns: Turn[]): string | undefined {
  for (const [at, turn] of turns.entries()) {
    const before = at > 0 ? usesOf(turns[at - 1]) : []
    const broken = brokenResults(turn, before) ?? brokenAnswer(turn, usesOf(turn), turns[at + 1])
    if (broken) return broken
  }
  return undefined
}

function brokenResults(turn: Turn, uses: string[]): string | undefined {
  const answered = new Set<string>()
  for (const { block, path } of turn.placed) {
    if (block.type !== 'tool_result') continue
    const id = block.tool_use_id
    if (!uses.includes(id)) {
      return `${path}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`
    }
    if (answered.has(id)) {
      return `${path}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${id}`
    }
    answered.add(id)
  }
  return undefined
}

/** Only results at the very start of the next turn count: text before them leaves the calls without results. */
function brokenAnswer(turn: Turn, uses: string[], next: Turn | undefined): string | undefined {
  const leading = next?.role === 'user' ? leadingResults(next) : []
  const open = uses.filter((id) => !leading.includes(id))
  if (open.length === 0) return undefined
  return `messages.${turn.index}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.join(', ')}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`
}

function usesOf(turn: Turn | undefined): string[] {
  return (turn?.placed ?? []).flatMap(({ block }) => (block.type === 'tool_use' ? [block.id] : []))
}

function leadingResults(turn: Turn): string[] {
  const ids: string[] = []
  for (const { block } of turn.placed) {
    if (block.type !== 'tool_result') return ids
    ids.push(block.tool_use_id)
  }
  return ids
}

function brokenEnd(turns: Turn[], prefill: boolean): string | undefined {
  const last = turns.at(-1)
  if (last?.role !== 'assistant') return undefined
  if (!prefill) {
    return 'This model does not support assistant message prefill. The conversation must end with a user message.'
  }
  const block = last.placed.at(-1)?.block
  if (block?.type === 'text' && block.text.trimEnd() !== block.text) {
    return 'messages: final assistant content cannot end with trailing whitespace'
  }
  return undefined
}
