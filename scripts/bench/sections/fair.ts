import { joinStage } from '../../../infra/local/environment.ts'
import { pdf } from '../../../test/support/documents.ts'
import { startMessagesApi } from '../../../test/support/messages-api.ts'
import { type Stage, startStage } from '../../../test/support/stage.ts'
import type { Row } from '../result-table.ts'
import { median } from '../sample.ts'
import { section } from '../section.ts'
import { type Visitor, visitor } from '../visitor.ts'

const answerMs = 500
const repetitions = 5
const pagesOfSlow = 150

type User = Visitor & { upload(name: string, bytes: Uint8Array): Promise<number> }

/** An action of one user, and the same action repeated endlessly by another user. */
type Case = { what: string; most: number; act(user: User): Promise<unknown>; flood: Flood }
type Flood = { at: number; act(user: User, count: number): Promise<unknown> }

/**
 * Measures if one user can delay another: one user's document, upload, turn and poll, first alone and then while
 * another user does the same as often as the stage allows. The bounds are delays that an editor would accept.
 */
section(async () => {
  const api = await startMessagesApi()
  api.always({ text: 'Read.', delayMs: answerMs })
  const stage = await startStage({
    env: { ANTHROPIC_API_KEY: api.key, ANTHROPIC_BASE_URL: api.url },
    settings: {
      maxActiveConversations: null,
      maxConversationsPerUser: null,
      models: [{ uid: 1, capabilities: ['tools'] }],
    },
  })
  const forget = setInterval(() => api.requests.splice(0), 5_000)
  try {
    const [greedy, other] = await logInUsers(stage)
    const rows: Row[] = []
    for (const one of await cases()) rows.push(...(await measured(one, greedy, other)))
    return rows
  } finally {
    clearInterval(forget)
    await stage.remove()
    await api.stop()
  }
})

async function cases(): Promise<Case[]> {
  const slow = await pdf(
    Array.from({ length: pagesOfSlow }, (_, page) => `Page ${page}. ${'Some words. '.repeat(200)}`),
  )
  let documents = 0
  const conversations = new WeakMap<User, string>()
  const polled = async (user: User) => {
    const id = conversations.get(user) ?? (await turn(user))
    conversations.set(user, id)
    await user.poll(id)
  }
  return [
    {
      what: 'a document of one page',
      most: 20_000,
      act: async (user) => turn(user, await user.upload('a.pdf', await pdf([`Text ${documents++}`]))),
      flood: {
        at: 10,
        // Bytes behind the end of a PDF make it another file, which was not read before.
        act: async (user, count) =>
          turn(user, await user.upload('slow.pdf', Buffer.concat([slow, Buffer.from(`\n% ${count}`)]))),
      },
    },
    {
      what: 'an upload of 1 MB',
      most: 5_000,
      act: (user) => user.upload('a.txt', Buffer.alloc(1_000_000, 'text ')),
      flood: { at: 8, act: (user) => user.upload('b.txt', Buffer.alloc(4_000_000, 'text ')) },
    },
    { what: 'a turn', most: 5_000, act: (user) => turn(user), flood: { at: 40, act: (user) => turn(user) } },
    { what: 'a poll', most: 1_000, act: polled, flood: { at: 40, act: polled } },
  ]
}

async function measured({ what, most, act, flood }: Case, greedy: User, other: User): Promise<Row[]> {
  const alone = await sample(() => act(other))
  const over = new AbortController()
  let count = 0
  const flooding = Array.from({ length: flood.at }, async () => {
    // Requests that the stage refuses belong to the load.
    while (!over.signal.aborted) await flood.act(greedy, count++).catch(() => sleep(100))
  })
  await sleep(2_000)
  const beside = await sample(() => act(other))
  over.abort()
  await Promise.all(flooding)
  return [
    { what: `${what}, alone`, value: median(alone), unit: 'ms' },
    {
      what: `${what}, beside ${flood.at} at once of another user`,
      value: Math.max(...beside),
      unit: 'ms',
      limit: { most },
      note: `the longest of ${repetitions}`,
    },
  ]
}

async function sample(act: () => Promise<unknown>): Promise<number[]> {
  const samples: number[] = []
  for (let time = 0; time < repetitions; time++) {
    const startedAt = performance.now()
    await act()
    samples.push(performance.now() - startedAt)
  }
  return samples
}

/** Sends a message in a conversation of its own and waits for the end of its turn; the conversation's id. */
async function turn(user: User, fileUid?: number): Promise<string> {
  const { conversation } = await user.send('What is new?', undefined, fileUid)
  let { status } = conversation as { status: string }
  while (status !== 'idle') {
    if (status === 'failed') throw new Error('A turn failed')
    await sleep(200)
    status = (await user.poll(conversation.id)).conversation.status
  }
  return conversation.id
}

async function logInUsers(stage: Stage): Promise<[User, User]> {
  process.env.AI_CHAT_DATA = stage.folder
  joinStage()
  const Session = await import('../../../core/user/session/session.ts')
  const user = async (uid: number): Promise<User> => {
    const { token } = await Session.start(uid, Date.now())
    return {
      ...visitor(stage.origin, token),
      upload: async (name, bytes) => {
        const form = new FormData()
        form.set('file', new Blob([new Uint8Array(bytes)]), name)
        const answer = await fetch(`${stage.origin}/ai-chat/file-upload`, {
          method: 'POST',
          headers: { authorization: `Bearer ${token}`, origin: stage.origin },
          body: form,
        })
        if (!answer.ok) throw new Error(`An upload was answered with ${answer.status}`)
        return ((await answer.json()) as { fileUid: number }).fileUid
      },
    }
  }
  return [await user(2), await user(3)]
}

const sleep = (ms: number) => new Promise((done) => setTimeout(done, ms))
