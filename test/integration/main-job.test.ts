import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Client, isOver, login, type Poll } from '../support/http.ts'
import { type MessagesApi, startMessagesApi } from '../support/messages-api.ts'
import { type Stage, startStage } from '../support/stage.ts'

/** The main job over a whole stage: every part is the real one, but for the model behind the address of its API. */

let api: MessagesApi
let stage: Stage | undefined

beforeEach(async () => {
  api = await startMessagesApi({ key: 'key-of-the-test' })
})
afterEach(async () => {
  await stage?.remove()
  stage = undefined
  await api.stop()
})

async function started(folder?: string): Promise<Client> {
  const env = {
    ANTHROPIC_API_KEY: api.key,
    ANTHROPIC_BASE_URL: api.url,
    ANTHROPIC_MODEL: 'claude-sonnet-5-5',
  }
  stage = await startStage({ env, ...(folder && { folder }) })
  return login(stage.origin, 'editor')
}

const question = 'What does the Aurora lamp cost?'
const look = { text: 'I look.', calls: [{ id: 'look', name: 'get_page_content', arguments: { page: 3 } }] }
const rename = {
  text: 'I propose:',
  calls: [
    {
      id: 'rename',
      name: 'update_record',
      arguments: { table: 'news', uid: 1, fields: { title: 'Renamed' } },
    },
  ],
}
const title = async (user: Client) =>
  (await user.get<{ record: { fields: { title: string } } }>('/backend/records/news/1')).body.record.fields
    .title

/** The states that a conversation goes through until it rests, each once. */
async function states(user: Client, id: string): Promise<{ seen: string[]; last: Poll }> {
  const seen: string[] = []
  const last = await user.until(id, (poll) => {
    if (seen.at(-1) !== poll.conversation.status) seen.push(poll.conversation.status)
    return isOver(poll)
  })
  return { seen, last }
}

test('a message goes from the browser to the model and its answer comes back, every state seen on the way', async () => {
  const user = await started()
  let conversationId = ''
  const within: string[] = []
  const peek = async () => {
    const { conversation, messages, activity } = await user.poll(conversationId)
    within.push(`${conversation.status} ${messages.length} ${activity.length}`)
  }
  api.reply(
    async () => {
      await peek()
      return look
    },
    async () => {
      await peek()
      return rename
    },
    { text: 'Renamed, as you approved.' },
  )

  const { conversation } = await user.send(question, { viewContext: { pageId: 3, module: 'page' } })
  conversationId = conversation.id
  expect(conversation.status).toBe('processing')
  const first = await states(user, conversationId)
  expect([first.seen.at(-1), within]).toEqual(['awaiting_approval', ['locked 1 0', 'locked 3 2']])
  expect(await title(user)).not.toBe('Renamed')

  const { digest } = first.last.pendingApproval ?? { digest: '' }
  await user.post('/ai-chat/conversations/approve', { conversationId, digest, approve: true })
  const second = await states(user, conversationId)

  expect(second.seen.at(-1)).toBe('idle')
  expect(await title(user)).toBe('Renamed')
  expect(second.last.messages.map(({ role, content }) => [role, content])).toEqual([
    ['user', question],
    ['assistant', 'I look.'],
    ['tool', expect.stringMatching(/^<data-/)],
    ['assistant', 'I propose:'],
    ['tool', expect.stringContaining('now says')],
    ['assistant', 'Renamed, as you approved.'],
  ])
  expect(second.last.activity.map(({ kind }) => kind)).toEqual([
    'llm',
    'tool',
    'llm',
    'approval',
    'tool',
    'llm',
  ])
})

test('the model is sent what the contract says, and no more', async () => {
  const user = await started()
  api.reply(look, { text: 'It costs 149 EUR.' })

  const poll = await user.ask(question, { viewContext: { pageId: 3, module: 'page' } })

  expect(poll.messages.at(-1)?.content).toBe('It costs 149 EUR.')
  expect(api.requests.map(({ refused }) => refused)).toEqual([undefined, undefined])
  const [first, second] = api.requests.map(({ body }) => body)
  const system = JSON.stringify(first?.system)
  for (const part of [
    'chat assistant of this content management system',
    'Languages of the site',
    'Answer language: en',
    'Open module: page',
    'Aurora lamp [3]',
  ]) {
    expect(system).toContain(part)
  }
  expect(first?.messages).toMatchObject([{ role: 'user', content: [{ type: 'text', text: question }] }])
  expect(second?.messages.map(({ role }) => role)).toEqual(['user', 'assistant', 'user'])
  expect(JSON.stringify(second?.messages[2])).toContain('149 EUR')
  expect(JSON.stringify(second?.system)).toBe(system)
  expect(JSON.stringify(second?.tools)).toBe(JSON.stringify(first?.tools))
  // Fields that the rows carry and the API refuses, and what no provider has to know.
  const sent = JSON.stringify(api.requests.map(({ body }) => body))
  for (const word of ['createdAt', 'runId', 'sequence', 'Nightjar', 'fetch_logs"', 'be_session'])
    expect(sent).not.toContain(word)
})

describe('a stage that is killed', () => {
  /** Kills the stage when the model is asked for the nth time, and starts it again on the same data. */
  async function killedAt(count: number): Promise<Client> {
    await api.received(count)
    await stage?.kill()
    return started(stage?.folder)
  }

  test('while the model thinks: the turn goes on behind what was stored, and ends once', async () => {
    const user = await started()
    api.reply(look, { fault: 'hang', where: 'stream' }, { text: 'It costs 149 EUR.' })
    const { conversation } = await user.send(question)

    const after = await killedAt(2)

    const { seen, last } = await states(after, conversation.id)
    expect(seen.at(-1)).toBe('idle')
    expect(last.messages.map(({ sequence, role }) => `${sequence} ${role}`)).toEqual([
      '0 user',
      '1 assistant',
      '2 tool',
      '3 assistant',
    ])
    expect(new Set(last.messages.flatMap(({ runId }) => runId ?? [])).size).toBe(1)
    expect(last.messages.at(-1)?.content).toBe('It costs 149 EUR.')
    // The same request again: nothing was asked twice that was answered.
    const [, second, third] = api.requests.map(({ body }) => JSON.stringify(body.messages))
    expect([api.requests.length, third]).toEqual([3, second])
    const { body } = await after.get<{ activeConversations: number }>('/ai-chat/status')
    expect(body.activeConversations).toBe(0)
    expect(await after.poll(conversation.id)).toEqual(last)
  })

  test('after an approved write: it was made once', async () => {
    const user = await started()
    api.reply(rename, { fault: 'hang', where: 'headers' }, { text: 'Done.' })
    const { conversation } = await user.send('Rename it')
    const { last } = await states(user, conversation.id)
    const { digest } = last.pendingApproval ?? { digest: '' }
    await user.post('/ai-chat/conversations/approve', {
      conversationId: conversation.id,
      digest,
      approve: true,
    })

    const after = await killedAt(2)

    const end = await states(after, conversation.id)
    expect([end.seen.at(-1), end.last.messages.at(-1)?.content]).toEqual(['idle', 'Done.'])
    expect(await title(after)).toBe('Renamed')
    const { body } = await after.get<{ history: { changes: { after: string | null }[] }[] }>(
      '/backend/records/news/1',
    )
    const renamed = body.history.filter(({ changes }) => changes.some((change) => change.after === 'Renamed'))
    expect(renamed).toHaveLength(1)
  })

  test('with a message queued: it is answered by the next start', async () => {
    const user = await started()
    api.reply({ fault: 'hang', where: 'headers' })
    // The second may be asked at once, and again after the kill.
    api.always({ text: 'Here.' })
    const one = await user.send('One')
    await api.received(1)
    const two = await user.send('Two')

    const after = await killedAt(1)

    const ends = await Promise.all([one, two].map(({ conversation }) => states(after, conversation.id)))
    expect(ends.map(({ seen, last }) => [seen.at(-1), last.messages.length])).toEqual([
      ['idle', 2],
      ['idle', 2],
    ])
  })
})
