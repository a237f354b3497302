import { beforeEach, expect, test } from 'vitest'
import type { PendingApproval } from '../../../core/conversation/schema.ts'
import { bench, benched, editor } from '../../support/benched.ts'

/** Words of the user in the place of proposed ones: shown, named by the digest, and stored as they were approved. */

let uid = 0

benched()
beforeEach(() => {
  uid += 1
})

const call = (fields: object, id = 'call') => ({
  id,
  name: 'update_record',
  arguments: { table: 'news', uid, fields },
})

async function proposed(...calls: { id: string; name: string; arguments: object }[]) {
  bench.api.reply({ text: 'I propose:', calls })
  const { conversation, pendingApproval } = await editor.turn('Change it')
  return { id: conversation.id, pending: pendingApproval as PendingApproval }
}

type Amended = { pendingApproval: PendingApproval; error?: { code: string } }

const amend = (id: string, digest: string, value: string, over: object = {}) =>
  editor.post<Amended>('amend', {
    conversationId: id,
    digest,
    callId: 'call',
    field: 'title',
    value,
    ...over,
  })

test('other words get a digest of their own, are stored as approved, and reach the model', async () => {
  const { id, pending } = await proposed(call({ title: 'The model’s title', teaser: 'A teaser' }))
  expect(pending.calls[0]?.editable).toEqual(['title', 'teaser'])

  const { status, body } = await amend(id, pending.digest, 'My title')

  expect(status).toBe(200)
  const { pendingApproval } = body
  expect(pendingApproval.digest).not.toBe(pending.digest)
  expect(pendingApproval.calls[0]).toMatchObject({
    wording: { title: 'My title' },
    arguments: pending.calls[0]?.arguments,
    preview: {
      changes: [
        { field: 'title', after: 'My title' },
        { field: 'teaser', after: 'A teaser' },
      ],
    },
  })
  expect((await editor.poll(id)).pendingApproval).toEqual(pendingApproval)

  const old = await editor.post('approve', { conversationId: id, digest: pending.digest, approve: true })
  expect(old.body).toMatchObject({ error: { code: 'approval.stale' } })
  bench.api.reply({ text: 'Done.' })
  await editor.decide(id, true)
  await bench.settle()

  expect([await bench.field('news', uid), await bench.field('news', uid, 'teaser')]).toEqual([
    'My title',
    'A teaser',
  ])
  const { messages } = await editor.poll(id)
  expect(messages.find(({ role }) => role === 'tool')).toMatchObject({ outcome: 'done', edited: ['title'] })
  expect(JSON.stringify(bench.api.requests.at(-1)?.body.messages)).toContain(
    'the user put other words in the place of yours for: title.',
  )
})

test('a field that the user empties can be worded again', async () => {
  const { id, pending } = await proposed(call({ title: 'The model’s title', teaser: 'A teaser' }))

  const emptied = await amend(id, pending.digest, '', { field: 'teaser' })

  const [shown] = emptied.body.pendingApproval.calls
  expect(shown?.preview?.changes[1]?.after || null).toBeNull()
  expect(shown?.editable).toEqual(['title', 'teaser'])
  const { digest } = emptied.body.pendingApproval
  const { body } = await amend(id, digest, 'My teaser', { field: 'teaser' })
  expect(body.pendingApproval.calls[0]?.preview?.changes[1]?.after).toBe('My teaser')
  await editor.does('cancel', id)
})

test('stay when the record changed before the decision: the fresh comparison has them', async () => {
  const { id, pending } = await proposed(call({ title: 'The model’s title' }))
  await amend(id, pending.digest, 'My title')
  await bench.edit('news', uid, { title: 'By another person' })

  await editor.decide(id, true)
  await bench.settle()

  expect((await editor.poll(id)).pendingApproval?.calls[0]).toMatchObject({
    wording: { title: 'My title' },
    preview: { changes: [{ before: 'By another person', after: 'My title' }] },
  })
  bench.api.reply({ text: 'Done.' })
  await editor.decide(id, true)
  await bench.settle()
  expect(await bench.field('news', uid)).toBe('My title')
})

test('of the first of two changes of a record, the second goes on from them', async () => {
  const { id, pending } = await proposed(
    call({ title: 'The first' }),
    call({ title: 'The second' }, 'second'),
  )

  const { body } = await amend(id, pending.digest, 'My first')

  expect(body.pendingApproval.calls[1]?.preview?.changes[0]).toMatchObject({
    before: 'My first',
    after: 'The second',
  })
  bench.api.reply({ text: 'Done.' })
  await editor.decide(id, true)
  await bench.settle()
  expect((await editor.poll(id)).conversation.status).toBe('idle')
  expect(await bench.field('news', uid)).toBe('The second')
})

test('of a page, the new records on it name the page by them, and the approval holds', async () => {
  const page = call({ title: 'The model’s page' })
  const { id, pending } = await proposed(
    { ...page, arguments: { ...page.arguments, table: 'pages', uid: 3 } },
    { id: 'below', name: 'create_page_draft', arguments: { parent: 3, title: 'Below' } },
    { id: 'text', name: 'create_content_draft', arguments: { page: 'new:1', type: 'text', header: 'New' } },
    { id: 'onto', name: 'create_content_draft', arguments: { page: 3, type: 'text', header: 'Old' } },
  )

  const { body } = await amend(id, pending.digest, 'My page')

  const shown = body.pendingApproval.calls.map(({ preview, needs, editable }) => [
    preview?.page?.title,
    needs,
    editable?.includes('header') ?? false,
  ])
  expect(shown).toEqual([
    [expect.any(String), undefined, false],
    ['My page', undefined, false],
    ['Below', 'below', false],
    ['My page', undefined, true],
  ])
  expect(body.pendingApproval.calls[1]?.editable).toBeUndefined()
  bench.api.reply({ text: 'Done.' })
  await editor.decide(id, true)
  await bench.settle()
  expect((await editor.poll(id)).conversation.status).toBe('idle')
  expect(await bench.field('pages', 3)).toBe('My page')
})

test('a field with fixed values names them, and takes another of them', async () => {
  const { id, pending } = await proposed({
    id: 'call',
    name: 'create_content_draft',
    arguments: { page: 3, type: 'text', header: 'New' },
  })
  const typeOf = ({ calls }: PendingApproval) =>
    calls[0]?.preview?.changes.find(({ field }) => field === 'type')
  const { options = [] } = typeOf(pending) ?? {}
  expect(options).toContain('text')
  const other = options.find((option) => option !== 'text') ?? ''

  const { body } = await amend(id, pending.digest, other, { field: 'type' })

  expect(typeOf(body.pendingApproval)).toMatchObject({ after: other, options })
  await editor.does('cancel', id)
})

test('the present words are refused as such: nothing would change', async () => {
  const present = String(await bench.field('news', uid))
  const { id, pending } = await proposed(call({ title: 'The model’s title' }))

  const answer = await amend(id, pending.digest, present)

  expect([answer.status, answer.body.error?.code]).toEqual([422, 'approval.unchanged'])
  expect((await editor.poll(id)).pendingApproval).toEqual(pending)
  await editor.does('cancel', id)
})

test.each<[string, number, string, object]>([
  ['that the CMS does not take', 422, 'approval.refused', { value: 'x'.repeat(1_000) }],
  ['that the field may not be', 422, 'approval.refused', { value: '' }],
  ['that hold what no person sees', 422, 'approval.refused', { value: 'a \u{e0041}\u{e0042}' }],
  ['for a field that is not proposed', 400, 'request.invalid', { field: 'teaser' }],
  ['for a call that does not wait', 400, 'request.invalid', { callId: 'other' }],
  ['for a proposal that was replaced', 409, 'approval.stale', { digest: 'an old one' }],
])('words %s are refused and leave the proposal as it was', async (_, status, code, over) => {
  const { id, pending } = await proposed(call({ title: 'The model’s title' }))

  const answer = await amend(id, pending.digest, 'My title', over)

  expect([answer.status, answer.body.error?.code]).toEqual([status, code])
  expect((await editor.poll(id)).pendingApproval).toEqual(pending)
  await editor.does('cancel', id)
})
