import { beforeEach, describe, expect, test } from 'vitest'
import type { PendingApproval } from '../../../core/conversation/schema.ts'
import type { WireRequest } from '../../../core/model/wire/shape.ts'
import { bench, benched, editor, logInAgain } from '../../support/benched.ts'
import { making } from '../../support/put.ts'

let uid = 0

benched()
beforeEach(async () => {
  await bench.configure()
  // Each test has a news record of its own.
  uid += 1
})

let calls = 0
const rename = (title: string, record = uid) => ({
  id: `call_${++calls}`,
  name: 'update_record',
  arguments: { table: 'news', uid: record, fields: { title } },
})
const title = (record = uid) => bench.field('news', record)

/** A turn that proposes these calls and waits. */
async function proposed(...calls: { id: string; name: string; arguments: object }[]) {
  bench.api.reply({ text: 'I propose:', calls })
  const seen = await editor.turn('Rename it')
  expect(seen.conversation.status).toBe('awaiting_approval')
  return { id: seen.conversation.id, pending: seen.pendingApproval as PendingApproval }
}

/** The results that a request carries last. */
function results(request: WireRequest | undefined): { id: string; text: string; isError: boolean }[] {
  const last = request?.messages.at(-1)?.content
  return (Array.isArray(last) ? last : []).flatMap((block) =>
    block.type === 'tool_result'
      ? [{ id: block.tool_use_id, text: JSON.stringify(block.content), isError: block.is_error ?? false }]
      : [],
  )
}

const lastRequest = () => bench.api.requests.at(-1)?.body

test('a call under the id __proto__ is shown, decided and done like any other', async () => {
  const { id } = await proposed({ ...rename('New title'), id: '__proto__' })
  bench.api.reply({ text: 'Done.' })

  await editor.decide(id, true)
  await bench.settle()

  expect((await editor.poll(id)).conversation.status).toBe('idle')
  expect(await title()).toBe('New title')
})

test('a call whose id holds data of its server is done, and the id goes back unchanged', async () => {
  const call = { ...rename('New title'), id: `call_1__thought__${'s'.repeat(7_900)}` }
  const { id } = await proposed(call)
  bench.api.reply({ text: 'Done.' })

  await editor.decide(id, true)
  await bench.settle()

  expect(await title()).toBe('New title')
  expect(results(lastRequest()).map(({ id }) => id)).toEqual([call.id])
})

describe('a proposal', () => {
  test('shows what would change, holds no place among the active, and has changed nothing', async () => {
    const before = await title()
    const call = rename('New title')
    const { id, pending } = await proposed(call)

    expect(pending).toEqual({
      runId: expect.any(String),
      digest: expect.stringMatching(/^[0-9a-f]{64}$/),
      expiresAt: new Date(bench.clock.now() + 7 * 86_400_000).toISOString(),
      mayDecide: true,
      calls: [
        {
          id: call.id,
          tool: 'update_record',
          title: expect.any(String),
          arguments: call.arguments,
          preview: {
            table: 'news',
            uid,
            label: before,
            page: { uid: 7, title: 'News' },
            changes: [{ field: 'title', label: 'Title', before, after: 'New title' }],
          },
          editable: ['title'],
        },
      ],
    })
    expect(await title()).toBe(before)
    const { body } = await editor.get<{ activeConversations: number }>('/status')
    expect(body.activeConversations).toBe(0)
    await editor.does('cancel', id)
  })

  test('whose changes are too large to be shown is refused to the model', async () => {
    bench.api.reply(
      {
        calls: [
          {
            name: 'update_record',
            arguments: {
              table: 'news',
              uid,
              fields: { body: '<p>x</p>'.repeat(2_450), teaser: 'x'.repeat(1_990) },
            },
          },
        ],
      },
      { text: 'I split it.' },
    )
    const { conversation } = await editor.turn('Write much')

    expect(conversation.status).toBe('idle')
    expect(results(lastRequest())).toEqual([
      { id: expect.any(String), text: expect.stringContaining('Split it'), isError: true },
    ])
  })
})

describe('approve', () => {
  test('has a consumer write once, reads the record back, and tells the model', async () => {
    const { id } = await proposed(rename('New title'))

    const { status, body } = await editor.decide(id, true)
    expect([status, body]).toMatchObject([202, { conversation: { status: 'processing' } }])
    expect(await title()).not.toBe('New title')
    bench.api.reply({ text: 'Done.' })
    await bench.settle()

    expect(await title()).toBe('New title')
    expect(results(lastRequest())).toEqual([
      {
        id: expect.any(String),
        text: expect.stringContaining(String.raw`now says:\n- title (Title): New title`),
        isError: false,
      },
    ])
    const { conversation, activity, pendingApproval, messages } = await editor.poll(id)
    expect(conversation.status).toBe('idle')
    expect(pendingApproval).toBeNull()
    expect(activity.map(({ kind, approved }) => [kind, approved])).toEqual([
      ['llm', undefined],
      ['approval', true],
      ['tool', undefined],
      ['llm', undefined],
    ])
    const runs = new Set(messages.flatMap(({ runId }) => runId ?? []))
    expect(runs.size).toBe(1)
    expect(await bench.row(id)).toMatchObject({ awaitingUntil: undefined, writing: undefined })
  })

  test('with a word of the user hands it to the model, credentials apart', async () => {
    const { id } = await proposed(rename('Told'))
    bench.api.reply({ text: 'Done.' })

    await editor.decide(id, true, `Then look at the teaser, too. password=${'hunter2'.repeat(3)}`)
    await bench.settle()

    expect(await title()).toBe('Told')
    expect(results(lastRequest())[0]?.text).toMatch(
      /<\/data-[0-9a-f]{24}>\\nThe user says to this: Then look at the teaser, too. password=\[redacted\]"$/,
    )
  })

  test('of one digest twice in parallel is executed once', async () => {
    const { id, pending } = await proposed(rename('Once'))
    const body = { conversationId: id, digest: pending.digest, approve: true }

    const answers = await Promise.all([1, 2, 3].map(() => editor.post('approve', body)))

    expect(answers.map(({ status }) => status).sort()).toEqual([202, 409, 409])
    const refused = answers.filter(({ status }) => status === 409)
    for (const { body } of refused) expect(body).toMatchObject({ error: { code: 'approval.notPending' } })
    bench.api.reply({ text: 'Done.' })
    expect(await bench.settle()).toEqual(['done'])
    const history = await bench.site.cms.history(bench.site.admin, { table: 'news', uid, limit: 20 })
    expect(history?.filter((entry) => JSON.stringify(entry).includes('Once'))).toHaveLength(1)
  })

  test('and deny in parallel: one of them is the decision', async () => {
    const before = await title()
    const { id, pending } = await proposed(rename('Perhaps'))
    const body = { conversationId: id, digest: pending.digest }

    const [yes, no] = await Promise.all([
      editor.post('approve', { ...body, approve: true }),
      editor.post('approve', { ...body, approve: false }),
    ])

    expect([yes.status, no.status].sort()).toEqual([202, 409])
    bench.api.reply({ text: 'So be it.' })
    await bench.settle()
    expect(await title()).toBe(yes.status === 202 ? 'Perhaps' : before)
  })

  test('with the same key again answers the same and does nothing more', async () => {
    const { id, pending } = await proposed(rename('Keyed'))
    const body = { conversationId: id, digest: pending.digest, approve: true }

    const first = await editor.post('approve', body, { key: 'approve-1' })
    bench.api.reply({ text: 'Done.' })
    await bench.settle()
    const second = await editor.post('approve', body, { key: 'approve-1' })

    expect([second.status, second.body]).toEqual([202, first.body])
    expect(await bench.settle()).toEqual([])
  })

  test.each([
    ['another digest', (digest: string) => `${digest.slice(1)}0`, 'approval.stale'],
    ['a digest of nothing', () => 'x', 'approval.stale'],
  ])('of %s is refused', async (_, other, code) => {
    const { id, pending } = await proposed(rename('Never'))

    const answer = await editor.post('approve', {
      conversationId: id,
      digest: other(pending.digest),
      approve: true,
    })

    expect([answer.status, answer.body]).toMatchObject([409, { error: { code } }])
    await editor.does('cancel', id)
  })

  test('of nothing is refused', async () => {
    bench.api.reply({ text: 'Hello.' })
    const { conversation } = await editor.turn('Hello')

    const answer = await editor.post('approve', {
      conversationId: conversation.id,
      digest: 'x',
      approve: true,
    })

    expect([answer.status, answer.body]).toMatchObject([409, { error: { code: 'approval.notPending' } }])
  })

  test('runs all calls of a mixed reply in order, and nothing before', async () => {
    const read = { id: 'read', name: 'get_record', arguments: { table: 'news', uid } }
    const { id, pending } = await proposed(rename('Mixed'), read)

    expect(pending.calls.map(({ tool }) => tool)).toEqual(['update_record'])
    expect((await editor.poll(id)).messages.filter(({ role }) => role === 'tool')).toEqual([])
    await editor.decide(id, true)
    bench.api.reply({ text: 'Done.' })
    await bench.settle()

    const told = results(lastRequest())
    expect(told.map(({ isError }) => isError)).toEqual([false, false])
    expect(told[1]?.text).toContain('Mixed')
  })

  test('of two writes: the second builds on the first, in the preview and in the record', async () => {
    const first = rename('First step')
    const second = { ...rename('Second step'), id: 'second' }
    const { id, pending } = await proposed(first, second)

    expect(pending.calls.map(({ preview }) => preview?.changes[0])).toMatchObject([
      { after: 'First step' },
      { before: 'First step', after: 'Second step' },
    ])
    await editor.decide(id, true)
    bench.api.reply({ text: 'Done.' })
    await bench.settle()

    expect(await title()).toBe('Second step')
    expect(results(lastRequest()).map(({ isError }) => isError)).toEqual([false, false])
  })

  test('a failure in the middle stops the writes behind it, and says so', async () => {
    const { id } = await proposed(rename('One'), rename('Two', uid + 1), rename('Three', uid + 2))
    uid += 2
    let writes = 0
    const failing = making(bench.live.cms, async (...given) => {
      writes += 1
      if (writes === 2) await bench.edit('news', uid - 1, { title: 'Another editor' })
      return bench.live.cms.put(...given)
    })
    await editor.decide(id, true)
    bench.api.reply({ text: 'Some of it.' })
    await bench.consume({ cms: { ...bench.live.cms, ...failing } })

    expect(await Promise.all([uid - 2, uid - 1, uid].map((each) => title(each)))).toEqual([
      'One',
      'Another editor',
      expect.not.stringContaining('Three'),
    ])
    expect(results(lastRequest()).map(({ text, isError }) => [text.slice(0, 0), isError])).toEqual([
      ['', false],
      ['', true],
      ['', true],
    ])
    expect(results(lastRequest())[2]?.text).toContain('an earlier change of the same approval failed')
  })

  test('of a record that was changed since asks again, with a fresh preview and digest', async () => {
    const { id, pending } = await proposed(rename('Mine'))
    await bench.edit('news', uid, { title: 'Of another editor' })

    await editor.decide(id, true)
    expect(await bench.settle()).toEqual(['done'])

    expect(await title()).toBe('Of another editor')
    const again = await editor.poll(id)
    expect(again.conversation.status).toBe('awaiting_approval')
    expect(again.pendingApproval?.digest).not.toBe(pending.digest)
    expect(again.pendingApproval?.calls[0]?.preview?.changes).toEqual([
      { field: 'title', label: 'Title', before: 'Of another editor', after: 'Mine' },
    ])
    await editor.decide(id, true)
    bench.api.reply({ text: 'Done.' })
    await bench.settle()
    expect(await title()).toBe('Mine')
    expect((await editor.poll(id)).activity.filter(({ kind }) => kind === 'approval')).toHaveLength(1)
  })

  test('of a second proposal of the turn is checked like the first', async () => {
    const { id } = await proposed(rename('Step one'))
    await editor.decide(id, true)
    bench.api.reply({ text: 'And now:', calls: [rename('Step two', uid + 1)] })
    await bench.settle()
    uid += 1
    await bench.edit('news', uid, { title: 'Meanwhile' })

    await editor.decide(id, true)
    await bench.settle()

    const again = await editor.poll(id)
    expect([again.conversation.status, await title()]).toEqual(['awaiting_approval', 'Meanwhile'])
    await editor.does('cancel', id)
  })

  test.each([
    ['the right was lost', async () => void (await bench.edit('be_groups', 1, { tables_modify: 'pages' }))],
    [
      'the gate was changed',
      async () => void (await bench.configure({ tools: { disabled: ['update_*'], groups: {} } })),
    ],
  ])('after %s writes nothing, and the model gets the reason', async (_, change) => {
    const before = await title()
    const { id, pending } = await proposed(rename('Too late'))
    await editor.post('approve', { conversationId: id, digest: pending.digest, approve: true })
    await change()

    bench.api.reply({ text: 'Not possible.' })
    await bench.settle()

    expect(await title()).toBe(before)
    expect(results(lastRequest()).map(({ isError }) => isError)).toEqual([true])
    expect((await editor.poll(id)).conversation.status).toBe('idle')
    await bench.edit('be_groups', 1, { tables_modify: 'pages,content,news' })
  })

  test('without the right is refused, and the poll says so before', async () => {
    const { id, pending } = await proposed(rename('Not mine'))
    await bench.edit('be_groups', 1, { tables_modify: 'pages' })

    expect((await editor.poll(id)).pendingApproval?.mayDecide).toBe(false)
    const answer = await editor.post('approve', { conversationId: id, digest: pending.digest, approve: true })

    expect([answer.status, answer.body]).toMatchObject([403, { error: { code: 'approval.notAllowed' } }])
    // Who may not decide may not deny either; a new message or a stop ends the proposal.
    expect((await editor.decide(id, false)).status).toBe(403)
    await bench.edit('be_groups', 1, { tables_modify: 'pages,content,news' })
    await editor.does('cancel', id)
  })

  test('of a new record without the right on its page is refused, and the poll says so before', async () => {
    const args = { page: 3, type: 'text', body: 'Draft' }
    const { id } = await proposed({ id: `call_${++calls}`, name: 'create_content_draft', arguments: args })
    expect((await editor.poll(id)).pendingApproval?.mayDecide).toBe(true)
    const [group, everybody] = await Promise.all(
      ['perms_group', 'perms_everybody'].map((name) => bench.field('pages', 3, name)),
    )
    await bench.edit('pages', 3, { perms_group: 1, perms_everybody: 1 })

    const seen = await editor.poll(id)
    const answer = await editor.decide(id, true)

    expect([seen.pendingApproval?.mayDecide, answer.status]).toEqual([false, 403])
    await bench.edit('pages', 3, { perms_group: group, perms_everybody: everybody })
    await editor.does('cancel', id)
  })

  test('at the cap is refused, and the proposal stays', async () => {
    const { id } = await proposed(rename('Waits'))
    const others = await Promise.all(['a', 'b', 'c'].map((content) => editor.send(content)))

    const answer = await editor.decide(id, true)

    expect([answer.status, answer.body]).toMatchObject([429, { error: { code: 'user.tooManyActive' } }])
    expect((await editor.poll(id)).pendingApproval).not.toBeNull()
    for (const { conversation } of others) await editor.does('cancel', conversation.id)
    await editor.does('cancel', id)
  })
})

describe('deny', () => {
  test('changes nothing, runs what needed no decision, and gives the model the reason', async () => {
    const before = await title()
    const read = { id: 'read_too', name: 'get_record', arguments: { table: 'news', uid } }
    const { id } = await proposed(rename('Denied'), read)

    await editor.decide(id, false, 'Too loud')
    bench.api.reply({ text: 'Understood.' })
    await bench.settle()

    expect(await title()).toBe(before)
    const told = results(lastRequest())
    expect(told.map(({ isError }) => isError)).toEqual([true, false])
    // Behind the fence: the user's word is none of the data that must not be followed.
    expect(told[0]?.text).toMatch(
      /Denied by the user.*<\/data-[0-9a-f]{24}>\\nThe user says to this: Too loud"$/,
    )
    expect((await editor.poll(id)).activity.find(({ kind }) => kind === 'approval')).toMatchObject({
      approved: false,
    })
  })

  test('holds although the record was changed since', async () => {
    const { id } = await proposed(rename('Denied'))
    await bench.edit('news', uid, { title: 'Changed since' })

    await editor.decide(id, false)
    bench.api.reply({ text: 'Understood.' })
    await bench.settle()

    expect([(await editor.poll(id)).conversation.status, await title()]).toEqual(['idle', 'Changed since'])
  })

  test('says nothing of a later proposal', async () => {
    const { id } = await proposed(rename('Denied'))
    await editor.decide(id, false)
    bench.api.reply({ text: 'Then this:', calls: [rename('Better')] })
    await bench.settle()
    expect((await editor.poll(id)).conversation.status).toBe('awaiting_approval')
    await editor.decide(id, true)
    bench.api.reply({ text: 'Done.' })
    await bench.settle()
    expect(await title()).toBe('Better')

    bench.api.reply({ calls: [rename('Once more')] })
    await editor.send('Again', { conversationId: id })
    await bench.settle()
    expect((await editor.poll(id)).conversation.status).toBe('awaiting_approval')
    await editor.does('cancel', id)
  })
})

describe('a proposal ends', () => {
  const notices = async (id: string) =>
    (await editor.poll(id)).messages.slice(2).map(({ role, isError, notice }) => [role, isError ?? notice])

  test('by a new message: superseded', async () => {
    const { id, pending } = await proposed(rename('Never'), { ...rename('Nor this'), id: 'nor' })

    const { sequence } = await editor.send('Something else', { conversationId: id })

    expect(sequence).toBe(5)
    expect(await notices(id)).toEqual([
      ['tool', true],
      ['tool', true],
      ['assistant', 'superseded'],
      ['user', undefined],
    ])
    bench.api.reply({ text: 'All right.' })
    await bench.settle()
    const told = lastRequest()?.messages.at(-1)?.content
    expect(JSON.stringify(told)).toContain('a new message instead of deciding')
    expect(JSON.stringify(lastRequest())).not.toContain('withdrawn by your new message')
    const late = await editor.post('approve', { conversationId: id, digest: pending.digest, approve: true })
    expect(late.body).toMatchObject({ error: { code: 'approval.notPending' } })
  })

  test('by an edit: what it proposed is dropped with it', async () => {
    const { id } = await proposed(rename('Never'))
    bench.api.reply({ text: 'Edited.' })

    const answer = await editor.post('edit', {
      conversationId: id,
      sequence: 0,
      content: 'No',
      expectedContent: 'Rename it',
    })
    await bench.settle()

    expect(answer.status).toBe(202)
    expect((await editor.poll(id)).messages.map(({ content }) => content)).toEqual(['No', 'Edited.'])
    expect(await bench.row(id)).toMatchObject({ awaitingUntil: undefined })
  })

  test('by cancel: idle at once', async () => {
    const { id } = await proposed(rename('Never'))

    expect(await editor.does('cancel', id)).toMatchObject({ status: 'idle' })

    expect(await notices(id)).toEqual([
      ['tool', true],
      ['assistant', 'cancelled'],
    ])
  })

  test.each([
    ['archive', 'archived'],
    ['delete', 'deleted'],
  ])('by %s: idle, it never runs, and a notice says so', async (verb, state) => {
    const { id, pending } = await proposed(rename('Never'))

    expect(await editor.does(verb, id, { [state]: true })).toMatchObject({ status: 'idle' })

    await editor.does(verb, id, { [state]: false })
    expect(await notices(id)).toEqual([
      ['tool', true],
      ['assistant', state],
    ])
    const late = await editor.post('approve', { conversationId: id, digest: pending.digest, approve: true })
    expect(late.body).toMatchObject({ error: { code: 'approval.notPending' } })
  })

  test('after seven days: expired', async () => {
    const { id, pending } = await proposed(rename('Never'))
    await bench.clock.pass(7 * 86_400_000)
    await logInAgain()

    const late = await editor.post('approve', { conversationId: id, digest: pending.digest, approve: true })
    expect(late.body).toMatchObject({ error: { code: 'approval.notPending' } })
    expect(await bench.cleanup()).toMatchObject({ expired: 1 })

    expect(await notices(id)).toEqual([
      ['tool', true],
      ['assistant', 'expired'],
    ])
    expect((await editor.poll(id)).conversation.status).toBe('idle')
  })

  test('decided but not taken up: cancel ends it', async () => {
    const before = await title()
    const { id } = await proposed(rename('Never'))
    await editor.decide(id, true)

    expect(await editor.does('cancel', id)).toMatchObject({ status: 'idle' })

    expect(await bench.settle()).toEqual(['lost'])
    expect(await title()).toBe(before)
    expect(await notices(id)).toEqual([
      ['tool', true],
      ['assistant', 'cancelled'],
    ])
  })
})

test('a reply with more calls than may run waits with those that may', async () => {
  const many = Array.from({ length: 24 }, (_, at) => ({ ...rename(`Title ${at}`), id: `many_${at}` }))
  const { id, pending } = await proposed(...many)

  expect(pending.calls).toHaveLength(20)
  expect(
    (await editor.poll(id)).messages
      .filter(({ role }) => role === 'tool')
      .map(({ toolCallId }) => toolCallId),
  ).toEqual(['many_20', 'many_21', 'many_22', 'many_23'])
  await editor.does('cancel', id)
  expect((await editor.poll(id)).messages.filter(({ role }) => role === 'tool')).toHaveLength(24)
})

test('the result names where the changed page is seen, on a site that says its addresses', async () => {
  const origin = 'https://northlight.example'
  const call = { ...rename('Aurora', 3), arguments: { table: 'pages', uid: 3, fields: { title: 'Aurora' } } }
  const { cms } = bench.live
  const capabilities = async () => ({
    ...(await cms.capabilities()),
    addresses: { origins: [origin], types: ['pages'] },
  })
  const { id } = await proposed(call)
  await editor.decide(id, true)
  bench.api.reply({ text: 'Done.' })

  await bench.consume({ cms: { ...cms, capabilities } })

  const { messages } = await editor.poll(id)
  const [record] = messages.find(({ toolCallId }) => toolCallId === call.id)?.records ?? []
  expect(record).toEqual({
    table: 'pages',
    uid: 3,
    title: 'Aurora',
    page: 2,
    url: `${origin}/products/aurora-lamp`,
  })
})
