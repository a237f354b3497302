import { own } from '../../core/base/json.ts'
import { anthropic } from '../../core/model/anthropic.ts'
import { limits, type Model } from '../../core/model/model.ts'
import { admit } from '../../core/model/wire/endpoint.ts'
import { events, type Reply } from '../../core/model/wire/reply.ts'
import type { WireRequest } from '../../core/model/wire/shape.ts'
import { tokensOf } from '../../core/model/wire/validate.ts'
import { find } from '../../core/tool/tools.ts'
import { type Move, type Task, type Weakness, weaknesses } from './task.ts'
import type { Language } from './wording.ts'

/** The qualities of scripted models. They check the evaluation itself, and run if there is no key. */
export const qualities = ['perfect', 'natural', ...weaknesses] as const
export type Quality = (typeof qualities)[number]

type Player = (request: WireRequest, at: number) => Move | undefined

/** Returns the function that plays a scripted model in a task. */
function playerOf(task: Task, quality: Quality): Player {
  if (quality === 'dumper' && !task.slips.dumper) return dumper(task)
  const moves = movesOf(task, quality)
  return (_, at) => moves[at]
}

/**
 * Returns the moves of a scripted model for a task. If the task has no moves for the quality, derives them from the
 * right moves.
 */
export function movesOf(task: Task, quality: Quality): Move[] {
  const [right, other] = task.ways
  if (quality === 'perfect') return right
  if (quality === 'natural') return other
  return task.slips[quality] ?? weak[quality]?.(task) ?? right
}

const phrases = {
  lazy: {
    en: 'I have looked into it for you, and everything is in good order there.',
    de: 'Ich habe es mir für Sie angesehen, und dort ist alles in bester Ordnung.',
    fr: 'J’ai regardé cela pour vous, et tout y est en bon ordre, comme il se doit.',
  },
  claim: {
    en: 'Done: everything is changed as you have asked for it.',
    de: 'Erledigt: Es ist alles so geändert, wie Sie es wollten.',
    fr: 'C’est fait : tout est modifié comme vous l’avez demandé.',
  },
  refusal: {
    en: 'I cannot do that with what I have. Which page do you mean?',
    de: 'Das kann ich mit dem, was ich habe, nicht tun. Welche Seite meinen Sie?',
    fr: 'Je ne peux pas faire cela avec ce que j’ai. De quelle page parlez-vous ?',
  },
  filler: {
    en: 'Let me say a little more about this, since it is worth a closer look from every side, and since one can never say too much about what matters to the people who read the site.',
    de: 'Lassen Sie mich dazu noch etwas mehr sagen, denn es lohnt sich, das von allen Seiten zu betrachten, und man kann über das, was den Menschen wichtig ist, nie zu viel sagen.',
    fr: 'Permettez-moi d’en dire un peu plus, car cela mérite d’être regardé de tous les côtés, et l’on ne dit jamais trop de ce qui compte pour les personnes qui lisent le site.',
  },
  invention: {
    en: 'By the way, 4,271 visitors have read it within 37 days.',
    de: 'Übrigens haben es 4.271 Besucher in 37 Tagen gelesen.',
    fr: 'D’ailleurs, 4 271 visiteurs l’ont lu en 37 jours.',
  },
} satisfies Record<string, Record<Language, string>>

const foreign: Record<Language, [Language, string]> = {
  en: ['de', 'Hier ist das Ergebnis, das Sie haben wollten, mit allem, was dazu gehört:'],
  de: ['fr', 'Voici le résultat que vous vouliez avoir, avec tout ce qui en fait partie :'],
  fr: ['en', 'Here is the result that you wanted to have, with everything that belongs to it:'],
}

const isText = (move: Move): move is string => typeof move === 'string'
const retold = (moves: Move[], tell: (text: string) => string): Move[] =>
  moves.map((move) => (isText(move) ? tell(move) : move))
const callsOf = (move: Move) => (isText(move) ? [] : [move].flat().flatMap((call) => Object.entries(call)))

/** Derives the moves of a weakness from a task. A weakness without a function shows only in the moves of its tasks. */
const weak: Partial<Record<Weakness, (task: Task) => Move[]>> = {
  lazy: ({ lang, messages }) => messages.map(() => phrases.lazy[lang]),
  refuser: ({ lang, messages, answers }) => [...messages, ...answers].map(() => phrases.refusal[lang]),
  verbose: ({ lang, ways: [right] }) =>
    retold(right, (text) => [text, ...Array(15).fill(phrases.filler[lang])].join(' ')),
  claimer({ lang, ways: [right], expected }) {
    const isDone = expected.changes ?? expected.creates ?? expected.bins ?? expected.restores
    const calm = right.filter(
      (move) => isText(move) || !callsOf(move).some(([name]) => find(name)?.writes || name === 'ask_user'),
    )
    return isDone ? calm : retold(calm, () => phrases.claim[lang])
  },
  wrongLanguage({ lang, ways: [right], expected }) {
    const [other, head] = foreign[expected.lang ?? lang]
    const figures = (expected.figures ?? []).map((one) =>
      typeof one === 'number' ? one : `${first(one.of)}: ${one.is}`,
    )
    const list = [...figures, ...(expected.names ?? []).map(first)]
    return retold(right, () => [head, ...list, phrases.filler[other]].join('\n'))
  },
  inventor: ({ lang, ways: [right] }) =>
    retold(
      right,
      (text) =>
        `${text.replace(/(?<![[\d])\d+(?![\]\d])/g, (one) => String(Number(one) + 21))} ${phrases.invention[lang]}`,
    ),
  wrongRecord: ({ ways: [right] }) =>
    right.map((move) => {
      if (isText(move)) return move
      return Array.isArray(move) ? move.map(beside) : beside(move)
    }),
}

const first = (words: string) => words.split('|')[0]?.trim() ?? ''

/** Returns the same call with a neighbouring record instead of the intended one. */
function beside(call: Record<string, Record<string, unknown>>): Record<string, Record<string, unknown>> {
  return Object.fromEntries(Object.entries(call).map(([name, args]) => [name, shifted(args)]))
}

const others: Record<string, string> = { pages: 'news', news: 'media', content: 'news', media: 'content' }

function shifted(args: Record<string, unknown>): Record<string, unknown> {
  const isNamed = 'uid' in args || 'changes' in args
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => {
      if (['uid', 'page', 'parent', 'file', 'below'].includes(name) && typeof value === 'number')
        return [name, value + 1]
      if (name === 'changes' && Array.isArray(value))
        return [name, value.map((change: Record<string, unknown>) => shifted(change))]
      if (name === 'query' || name === 'text') return [name, 'Wool']
      if (name === 'address') return [name, '/contact']
      if (name === 'table' && !isNamed) return [name, own(others, String(value)) ?? value]
      return [name, value]
    }),
  )
}

/**
 * Plays a model that understands nothing: it searches for every capitalised word, reads the open page, and repeats all
 * results.
 */
function dumper({ lang, page, messages }: Task): Player {
  const capitalised = (messages.at(-1) ?? '').match(/(?<![.!?] |^)\p{Lu}\p{L}{3,}/gu) ?? []
  const words = [...new Set(capitalised)].slice(0, 3)
  const calls = [
    ...words.map((query) => ({ search_records: { query } })),
    ...(page === undefined ? [] : [{ get_page_content: { page } }]),
  ]
  return (request) => {
    const results = request.messages.flatMap(({ role, content }) =>
      role === 'user' && typeof content !== 'string'
        ? content.flatMap((block) => (block.type === 'tool_result' ? [JSON.stringify(block.content)] : []))
        : [],
    )
    if (results.length === 0 && calls.length > 0) return calls
    return `${phrases.refusal[lang]}\n\`\`\`\n${results.join('\n')}\n\`\`\``
  }
}

/**
 * Returns a model that makes one move per call. The moves replace the provider's answers to the SDK's `fetch`, after
 * the strict validator has checked the request; everything else is production code. After the last move the model
 * answers each call with a sentence.
 */
export function scripted(play: Move[] | Player, quality: Quality): Model {
  const player: Player = Array.isArray(play) ? (_, at) => play[at] : play
  let at = 0
  return anthropic({
    about: { provider: 'Scripted', model: `demo-${quality}`, isAI: true },
    capabilities: ['tools', 'vision', 'pdf'],
    limits: limits({ contextTokens: 200_000, maxOutputTokens: 64_000 }, 'anthropic'),
    key: 'scripted',
    citations: true,
    baseUrl: 'http://scripted.invalid',
    fetch: async (url, init) => {
      at += 1
      const requestId = `req_${at}`
      const admission = await admit(new Request(url, init), { requestId })
      if (!admission.ok) return admission.response
      const reply = replyOf(player(admission.request, at - 1), admission.request, at)
      return new Response(events(`msg_${at}`, admission.request, reply).join(''), {
        headers: { 'content-type': 'text/event-stream', 'request-id': requestId },
      })
    },
  })
}

/** Returns the scripted model of a quality that works on a task. */
export const scriptedFor = (task: Task, quality: Quality): Model => scripted(playerOf(task, quality), quality)

/** Replaces `{file}` in a move by the number of the newest listed file, which no script knows in advance. */
function withFile(move: Exclude<Move, string>, request: WireRequest): Move {
  const text = JSON.stringify(move)
  if (!text.includes('"{file}"')) return move
  const listed = [...JSON.stringify(request.messages).matchAll(/\[(\d+)\][^[\]]*\.txt/g)].map(([, uid]) =>
    Number(uid),
  )
  return JSON.parse(text.replaceAll('"{file}"', String(Math.max(0, ...listed)))) as Move
}

const over = 'There is nothing more to do.'

function replyOf(move: Move | undefined, request: WireRequest, at: number): Reply {
  const named = move === undefined || isText(move) ? move : withFile(move, request)
  const calls = request.tool_choice?.type === 'none' || named === undefined ? [] : callsOf(named)
  const content: Reply['content'] =
    calls.length > 0
      ? calls.map(([name, input], nth) => ({ type: 'tool_use', id: `toolu_${at}_${nth}`, name, input }))
      : [{ type: 'text', text: move !== undefined && isText(move) ? move : over }]
  const output = Math.ceil(JSON.stringify(content).length / 4)
  return {
    content,
    stop: calls.length > 0 ? 'tool_use' : 'end_turn',
    usage: { input: tokensOf(request), output },
  }
}
