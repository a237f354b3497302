import type { MessagesAnswer } from '../../../core/chat/messages-request.ts'
import type { SendAnswer } from '../../../core/conversation/schema.ts'
import { joinStage } from '../../../infra/local/environment.ts'
import { startMessagesApi } from '../../support/messages-api.ts'
import { type Stage, startStage } from '../../support/stage.ts'
import { putAll } from '../history.ts'
import { figure, type Row } from '../result-table.ts'
import { commandOf, cpuOf, descendants, quantile } from '../sample.ts'
import { section } from '../section.ts'

/** The number of editors; the variable `EDITORS` sets another number. */
const editors = Number(process.env.EDITORS || 100)
const seconds = 120
const pollMs = 1_500
/**
 * The time that the model takes for an answer, in milliseconds. The stage runs 50 turns at once, so about five turns
 * end each second.
 */
const answerMs = 9_500

type Tally = { polls: number[]; sends: number[]; errors: string[] }

/**
 * Plays a hundred editors at the local stage for two minutes. Each editor has one conversation that is always busy,
 * polls it every 1.5 s, and sends again when its turn ends. The queue stays full, so about five turns begin and end
 * each second.
 */
section(async () => {
  const api = await startMessagesApi()
  api.always({ text: 'Nothing is new.', delayMs: answerMs })
  const stage = await startStage({
    env: { ANTHROPIC_API_KEY: api.key, ANTHROPIC_BASE_URL: api.url },
    settings: { maxActiveConversations: null, maxConversationsPerUser: null },
  })
  const forget = setInterval(() => api.requests.splice(0), 5_000)
  try {
    const tokens = await sessions(stage)
    const before = processors(stage)
    const tally: Tally = { polls: [], sends: [], errors: [] }
    const until = performance.now() + seconds * 1_000
    await Promise.all(tokens.map((token, at) => edit(stage.origin, token, at, until, tally)))
    return rows(tally, before, processors(stage))
  } finally {
    clearInterval(forget)
    await stage.remove()
    await api.stop()
  }
})

/** Creates a copy of the seeded editor for each played editor; returns the tokens of their sessions. */
async function sessions(stage: Stage): Promise<string[]> {
  process.env.AI_CHAT_DATA = stage.folder
  joinStage()
  const [Table, Session, { config }] = await Promise.all([
    import('../../../core/base/aws/table.ts'),
    import('../../../core/user/session/session.ts'),
    import('../../../core/base/config.ts'),
  ])
  const { recordKey } = await import('../../../core/cms/reference/item.ts')
  const cms = config().cmsTable ?? ''
  const editor = await Table.get(recordKey('be_users', 2), cms)
  const uids = Array.from({ length: editors }, (_, at) => 1_001 + at)
  await putAll(
    uids.map((uid) => ({ ...editor, ...recordKey('be_users', uid), uid })),
    cms,
  )
  const started = await Promise.all(uids.map((uid) => Session.start(uid, Date.now())))
  return started.map(({ token }) => token)
}

async function edit(origin: string, token: string, at: number, until: number, tally: Tally): Promise<void> {
  const { polls, sends, errors } = tally
  const headers = { authorization: `Bearer ${token}`, origin, 'content-type': 'application/json' }
  /** Sends a request to the stage, and adds its time to `times` if it succeeds. */
  const timed = async <T>(times: number[], path: string, init: RequestInit = {}): Promise<T | undefined> => {
    try {
      const startedAt = performance.now()
      const response = await fetch(`${origin}/ai-chat/conversations${path}`, { headers, ...init })
      const text = await response.text()
      if (!response.ok) throw new Error(`${path} was answered with ${response.status}: ${text}`)
      times.push(performance.now() - startedAt)
      return JSON.parse(text) as T
    } catch (error) {
      errors.push((error as Error).message)
      return undefined
    }
  }
  // The editors start at different times, spread over 10 s.
  await sleep((at / editors) * 10_000)
  let conversationId: string | undefined
  while (performance.now() < until) {
    const body = JSON.stringify({ content: 'What is new on the site?', conversationId })
    const sent = await timed<SendAnswer>(sends, '/send', { method: 'POST', body })
    if (!sent) continue
    conversationId = sent.conversation.id
    let { version, status } = sent.conversation
    while (status !== 'idle' && status !== 'failed' && performance.now() < until) {
      await sleep(pollMs)
      const query = `conversationId=${conversationId}&version=${version}&after=0&limit=1`
      const poll = await timed<MessagesAnswer>(polls, `/messages?${query}`)
      if (poll) ({ version, status } = poll.conversation)
    }
    if (status === 'failed') errors.push('A turn failed')
  }
}

const sleep = (ms: number) => new Promise((done) => setTimeout(done, ms))

/** Returns the processor time of the stage's processes, by part of the stage. */
function processors(stage: Stage): Record<string, number> {
  const root = stage.process.pid ?? 0
  const found: Record<string, number> = { gateway: cpuOf(root) }
  for (const pid of descendants(root)) {
    const name = partOf(commandOf(pid))
    if (name) found[name] = (found[name] ?? 0) + cpuOf(pid)
  }
  return found
}

/** Returns the part of the stage that runs a command line; undefined for any other process. */
function partOf(command: string): string | undefined {
  if (/dynoxide --host/.test(command) && !/sh -c/.test(command)) return 'table'
  if (/functions\/poll/.test(command)) return 'functions'
  return /functions\/process/.test(command) ? 'consumer' : undefined
}

function rows(tally: Tally, before: Record<string, number>, after: Record<string, number>): Row[] {
  const { polls, sends, errors } = tally
  const used = (name: string) => (after[name] ?? 0) - (before[name] ?? 0)
  const requests = polls.length + sends.length
  const perRequest = 'ms processor time a request'
  return [
    figure('errors', errors.length, '', {
      most: 0,
      note: errors[0] ?? `${requests} requests in ${seconds} s`,
    }),
    figure('polls', polls.length / seconds, 'a second'),
    figure('sends', sends.length / seconds, 'a second'),
    figure('poll, p50', quantile(polls, 0.5), 'ms'),
    figure('poll, p99', quantile(polls, 0.99), 'ms', { note: 'on two cores with the load itself' }),
    figure('send, p99', quantile(sends, 0.99), 'ms'),
    figure('functions', used('functions') / requests, perRequest),
    figure('gateway, queue and store (emulated)', used('gateway') / requests, perRequest),
    figure('table (emulated)', used('table') / requests, perRequest, { note: 'turns included' }),
    figure('consumer', used('consumer') / sends.length, 'ms processor time a turn'),
  ]
}
