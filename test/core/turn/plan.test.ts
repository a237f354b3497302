import { beforeEach, describe, expect, test } from 'vitest'
import { ToolError } from '../../../core/base/error.ts'
import type { UndoResult } from '../../../core/cms/cms.ts'
import * as Claim from '../../../core/conversation/claim.ts'
import type { PendingApproval } from '../../../core/conversation/schema.ts'
import { bench, benched, editor } from '../../support/benched.ts'
import { bridged } from '../../support/bridge.ts'
import { gate, never } from '../../support/live.ts'
import { making } from '../../support/put.ts'

/** Changes that rest on records which the same proposal creates. */

benched()
beforeEach(async () => {
  bench.live.cms = bench.site.cms
  await bench.configure()
})

type Call = { id: string; name: string; arguments: Record<string, unknown> }

let plans = 0
let name = ''

/** A page with a text, in German as well, public from Monday on. */
function campPlan(): Call[] {
  name = `Summer camp ${++plans}`
  const set: [string, Record<string, unknown>][] = [
    ['create_page_draft', { parent: 3, title: name }],
    ['create_content_draft', { page: 'new:1', type: 'text', header: 'Come along', body: '<p>By tent.</p>' }],
    ['update_record', { table: 'content', uid: 'new:2', fields: { header: 'Come with us' } }],
    ['attach_media', { table: 'content', uid: 'new:2', field: 'image', file: 1 }],
    ['translate_record', { table: 'pages', uid: 'new:1', locale: 'de', fields: { title: 'Zeltlager' } }],
    ['set_state', { table: 'pages', uid: 'new:1', state: 'scheduled', from: '2026-11-30T08:00:00+01:00' }],
  ]
  return set.map(([tool, args], at) => ({ id: `p${plans}c${at + 1}`, name: tool, arguments: args }))
}

async function proposed(calls: Call[]) {
  bench.api.reply({ calls })
  const seen = await editor.turn('Get this page ready')
  return { id: seen.conversation.id, pending: seen.pendingApproval as PendingApproval }
}

/** An approved plan that waits for its consumer. */
async function approved(calls: Call[]): Promise<string> {
  const { id } = await proposed(calls)
  await editor.decide(id, true)
  bench.api.reply({ text: 'That is how it is.' })
  return id
}

/** The outcome of each call, of those that did not run with the reason. */
async function outcomes(id: string): Promise<string[]> {
  const { messages } = await editor.poll(id)
  return messages
    .filter(({ role }) => role === 'tool')
    .map(({ outcome, content }) =>
      outcome === 'done' ? 'done' : `${outcome}: ${content.split('\n').slice(1, -1).join('\n')}`,
    )
}

/** The records of the plan that the site has. */
async function made() {
  const { cms, admin } = bench.site
  const pages = await cms.search(admin, { text: name, table: 'pages', limit: 10 })
  const on = await Promise.all(pages.map(({ uid }) => cms.pageContent(admin, { uid })))
  return { pages, content: on.flatMap((elements) => elements ?? []) }
}

async function takenUp(): Promise<void> {
  await bench.clock.pass(Claim.leaseMs + 1_000)
  expect(await bench.cleanup()).toMatchObject({ resumed: 1 })
  expect(await bench.settle()).toEqual(['done'])
}

const six = ['done', 'done', 'done', 'done', 'done', 'done']

test('a page with a text, a picture, a translation and a date takes one approval, and one undo', async () => {
  const plan = campPlan()
  const { id, pending } = await proposed(plan)

  expect(pending.mayDecide).toBe(true)
  expect(pending.calls.map(({ title, needs, editable }) => [title, needs, editable])).toEqual([
    [`Create hidden page “${name}”`, undefined, undefined],
    ['Create hidden content element “Come along”', plan[0]?.id, undefined],
    ['Change 1 field of “Come along”', plan[1]?.id, undefined],
    ['Attach a file to “Come along”', plan[1]?.id, undefined],
    [`Translate “${name}”`, plan[0]?.id, undefined],
    [`Plan when visitors see “${name}”`, plan[0]?.id, undefined],
  ])
  expect(pending.calls[5]?.preview).toEqual({
    table: 'pages',
    uid: null,
    label: name,
    page: { uid: 0, title: '' },
    changes: [
      { field: 'state', label: 'State', before: 'hidden', after: 'scheduled' },
      { field: 'from', label: 'Visible from', before: null, after: '2026-11-30T07:00:00.000Z' },
    ],
    notes: ['New content on a new page stays hidden until it is published itself.'],
  })
  expect((await made()).pages).toEqual([])

  await editor.decide(id, true)
  bench.api.reply({ text: 'All is ready.' })
  await bench.settle()

  expect(await outcomes(id)).toEqual(six)
  const { pages, content } = await made()
  expect(pages.map(({ hidden, fields: { starttime } }) => [hidden, starttime])).toEqual([
    [false, '2026-11-30T07:00:00.000Z'],
  ])
  expect(content.map(({ hidden, fields: { header, image } }) => [hidden, header, image])).toEqual([
    [true, 'Come with us', 1],
  ])

  const { runId } = await bench.row(id)
  const { body } = await editor.post<UndoResult>('undo', { conversationId: id, runId })
  expect([body.undone.map(({ table }) => table), body.conflicts]).toEqual([['pages', 'content', 'pages'], []])
  expect(await made()).toEqual({ pages: [], content: [] })
})

test('what lies on another page moves to the new one, with words changed in a new record, and one undo takes both back', async () => {
  name = `Summer camp ${++plans}`
  const set: [string, Record<string, unknown>][] = [
    ['create_page_draft', { parent: 3, title: name }],
    ['create_content_draft', { page: 'new:1', type: 'text', header: 'Come alonk', body: '<p>By tent.</p>' }],
    [
      'replace_text',
      { table: 'content', uid: 'new:2', edits: [{ field: 'header', find: 'alonk', replace: 'along' }] },
    ],
    ['move_record', { table: 'content', uid: 26, page: 'new:1' }],
  ]
  const plan = set.map(([tool, args], at) => ({ id: `p${plans}c${at + 1}`, name: tool, arguments: args }))
  const before = await bench.site.cms.record(bench.site.admin, { table: 'content', uid: 26 })
  const { id, pending } = await proposed(plan)

  expect(pending.calls.map(({ needs }) => needs)).toEqual([undefined, plan[0]?.id, plan[1]?.id, plan[0]?.id])
  expect(pending.calls[3]?.preview?.changes).toEqual([
    { field: 'pid', label: 'Page', before: expect.stringContaining(`[${before?.pid}]`), after: name },
  ])

  await editor.decide(id, true)
  bench.api.reply({ text: 'All is ready.' })
  await bench.settle()

  const moved = await bench.site.cms.record(bench.site.admin, { table: 'content', uid: 26 })
  const { pages, content } = await made()
  expect(moved?.pid).toBe(pages[0]?.uid)
  expect(content.map(({ fields: { header } }) => header)).toContain('Come along')

  const { runId } = await bench.row(id)
  const { body } = await editor.post<UndoResult>('undo', { conversationId: id, runId })
  expect(body.conflicts).toEqual([])
  expect((await bench.site.cms.record(bench.site.admin, { table: 'content', uid: 26 }))?.pid).toBe(
    before?.pid,
  )
})

test('over the bridge, a plan asks the CMS for no change that rests on a new record', async () => {
  const over = bridged(bench.site.cms)
  bench.live.cms = over.cms
  const { id } = await proposed(campPlan())

  // The new page is shown for the card, and again for the poll that asks whether the user may decide.
  const shown = over.served.join(' + ').split(' + ')
  expect(shown.filter((operation) => operation === 'put')).toEqual(['put', 'put'])
  expect(over.served.length).toBeLessThanOrEqual(14)

  await editor.decide(id, true)
  bench.api.reply({ text: 'All is ready.' })
  await bench.settle()
  expect(await outcomes(id)).toEqual(six)
})

describe('what rests on a record that is not created does not run, and says why', () => {
  test('where the user left the record out', async () => {
    const plan = campPlan()
    const { id, pending } = await proposed(plan)
    bench.api.reply({ text: 'Done in part.' })
    const decision = { approve: true, digest: pending.digest, denied: [plan[1]?.id] }
    await editor.post('approve', { conversationId: id, ...decision })
    await bench.settle()

    expect(await outcomes(id)).toEqual([
      'done',
      expect.stringMatching(/^denied: /),
      'notRun: Not run: it needs new:2, which the user did not approve.',
      'notRun: Not run: it needs new:2, which the user did not approve.',
      'done',
      'done',
    ])
    expect((await made()).content).toEqual([])
  })

  test('where the CMS refuses the record', async () => {
    const id = await approved(campPlan())
    bench.live.cms = {
      ...bench.site.cms,
      ...making(bench.site.cms, async () => {
        throw new ToolError('Not on this page.')
      }),
    }
    await bench.settle()

    expect(await outcomes(id)).toEqual([
      'refused: Not stored: Not on this page.',
      'notRun: Not run: it needs new:1, which was not created.',
      'notRun: Not run: it needs new:2, which was not created.',
      'notRun: Not run: it needs new:2, which was not created.',
      'notRun: Not run: it needs new:1, which was not created.',
      'notRun: Not run: it needs new:1, which was not created.',
    ])
  })

  test('where no earlier call creates it, its call was refused, or it is a record of another table', async () => {
    const [page, text, , , , state] = campPlan() as [Call, Call, Call, Call, Call, Call]
    const { id } = await proposed([
      state,
      { ...page, arguments: { parent: 987_654, title: name } },
      text,
      { ...page, id: `${page.id}b` },
      { ...state, id: `${state.id}b`, arguments: { ...state.arguments, table: 'content', uid: 'new:3' } },
    ])

    const needs = (record: string) =>
      `notRun: Not run: it needs ${record}, and no earlier call of the reply creates that record, or its call was refused.`
    await editor.decide(id, false)
    bench.api.reply({ text: 'Nothing.' })
    await bench.settle()
    expect(await outcomes(id)).toEqual([
      needs('new:1'),
      expect.stringContaining('There is no pages with uid 987654'),
      needs('new:1'),
      expect.stringMatching(/^denied: /),
      expect.stringContaining('new:3 is a record of pages, not of content.'),
    ])
  })
})

describe('a consumer that dies within a plan', () => {
  test('behind the new page: the page is made once, and the rest goes on it', async () => {
    const id = await approved(campPlan())
    const point = gate()
    const dying = making(bench.live.cms, async (...given) => {
      await bench.live.cms.put(...given)
      void point.reach()
      return never()
    })
    void bench.die(dying)
    await point.reached

    await takenUp()

    expect(await outcomes(id)).toEqual(six)
    const { pages, content } = await made()
    expect([pages.length, content.length]).toEqual([1, 1])
  })

  test('before the page was made: nothing of the plan is', async () => {
    const id = await approved(campPlan())
    const point = gate()
    void bench.die(
      making(bench.live.cms, async () => {
        void point.reach()
        return never()
      }),
    )
    await point.reached

    await takenUp()

    expect((await outcomes(id)).map((one) => one.slice(0, 6))).toEqual([
      'notRun',
      'notRun',
      'notRun',
      'notRun',
      'notRun',
      'notRun',
    ])
    expect(await made()).toEqual({ pages: [], content: [] })
  })

  test('and a person changes the new page meanwhile: what rests on the page as it was is not stored', async () => {
    const id = await approved(campPlan())
    const point = gate()
    let puts = 0
    void bench.die(
      making(bench.live.cms, async (...given) => {
        const answer = await bench.live.cms.put(...given)
        puts += 1
        if (puts < 2) return answer
        void point.reach()
        return never()
      }),
    )
    await point.reached
    const [page] = (await made()).pages
    await bench.edit('pages', Number(page?.uid), { no_index: true })

    await takenUp()

    expect((await outcomes(id)).map((one) => one.split(':')[0])).toEqual([
      'done',
      'done',
      'done',
      'done',
      'conflict',
      'notRun',
    ])
  })
})

test('what becomes public with a page is said, and what stays hidden', async () => {
  const { cms, admin } = bench.site
  const elements = (await cms.pageContent(admin, { uid: 3 })) ?? []
  const named = (isHidden: boolean) =>
    elements.filter(({ hidden }) => hidden === isHidden).map(({ title }) => title)
  await bench.edit('pages', 3, { hidden: true })
  const call = { id: `public${plans}`, name: 'set_state' }
  const { id, pending } = await proposed([
    { ...call, arguments: { table: 'pages', uid: 3, state: 'visible' } },
  ])
  await editor.decide(id, false)
  await bench.edit('pages', 3, { hidden: false })

  expect(pending.calls[0]?.preview?.notes).toEqual([
    `Public with the page: ${named(false).join(', ')}.`,
    ...(named(true).length > 0 ? [`Stay hidden on it: ${named(true).join(', ')}.`] : []),
  ])
})
