import { beforeEach, describe, expect, test } from 'vitest'
import { ToolError } from '../../../../core/base/error.ts'
import { type Cms, CmsFailure } from '../../../../core/cms/cms.ts'
import type { Ability } from '../../../../core/cms/operation.ts'
import type { PendingApproval } from '../../../../core/conversation/schema.ts'
import { bench, benched, editor } from '../../../support/benched.ts'

benched()

const item = { type: 'object', properties: { item: { type: 'string' } }, required: ['item'] }
const stock: Ability = {
  name: 'shop/stock',
  title: 'Stock',
  description: 'How many are left',
  input: item,
  readOnly: true,
  version: 'stock-1',
}
const order: Ability = { ...stock, name: 'shop/order', title: 'Order', readOnly: false, version: 'order-1' }

type Called = Parameters<Cms['ability']>[1]
let abilities: Ability[] = []
let called: Called[] = []
let answer: (asked: Called) => ReturnType<Cms['ability']>

beforeEach(() => {
  abilities = [stock, order]
  called = []
  answer = async ({ dry }) => ({ output: dry ? null : { left: 5 } })
})

/** The CMS of the bench, with functions of a shop in it. */
function shop(): Cms {
  const { cms } = bench.live
  const has = <T extends object>(one: T) => ({ ...one, name: 'WordPress', abilities: true })
  return {
    ...cms,
    capabilities: async () => has(await cms.capabilities()),
    opening: async (...asked) => {
      const opening = await cms.opening(...asked)
      return opening && { ...opening, capabilities: has(opening.capabilities) }
    },
    abilities: async () => abilities,
    ability: async (_, asked) => {
      called.push(asked)
      return answer(asked)
    },
  }
}

/** What the model read of the call of its last reply. */
const read = () => JSON.stringify(bench.api.requests.at(-1)?.body.messages.at(-1)?.content)
const offered = () => (bench.api.requests[0]?.body.tools ?? []).filter(({ name }) => name.startsWith('mcp__'))

/** A turn in which the model makes this call. */
async function turn(name: string, args: object) {
  await bench.configure()
  bench.api.reply({ calls: [{ id: 'c1', name, arguments: args }] }, { text: 'Done.' })
  const { id } = (await editor.send('Do it')).conversation
  await bench.consume({ cms: shop() })
  return { id, seen: await editor.poll(id) }
}

/** Approves what waits, and consumes. */
async function approve(id: string) {
  await editor.decide(id, true)
  await bench.consume({ cms: shop() })
  return editor.poll(id)
}

const outcomes = ({ messages }: { messages: { role: string; outcome?: string | undefined }[] }) =>
  messages.filter(({ role }) => role === 'tool').map(({ outcome }) => outcome)

test('a function that only reads runs at once, with the schema that the CMS gives', async () => {
  const { seen } = await turn('mcp__CMS__shop_stock', { item: 'lamp' })

  expect(offered().map(({ name, input_schema }) => [name, input_schema])).toEqual([
    ['mcp__CMS__shop_stock', item],
    ['mcp__CMS__shop_order', item],
  ])
  expect(called).toEqual([{ name: 'shop/stock', version: 'stock-1', input: { item: 'lamp' } }])
  expect(read()).toContain('left')
  expect(outcomes(seen)).toEqual(['done'])
})

describe('a function that may change something', () => {
  test('waits with all its arguments, and is called once, with a key, after the approval', async () => {
    const { id, seen } = await turn('mcp__CMS__shop_order', { item: 'lamp' })
    const { calls } = seen.pendingApproval as PendingApproval

    expect(calls).toEqual([
      {
        id: 'c1',
        tool: 'mcp__CMS__shop_order',
        title: 'Use “shop/order” of WordPress?',
        arguments: { item: 'lamp' },
        preview: null,
      },
    ])
    const asked = { name: 'shop/order', version: 'order-1', input: { item: 'lamp' } }
    expect(called).toEqual([{ ...asked, dry: true }])

    expect(outcomes(await approve(id))).toEqual(['done'])
    expect(called.slice(1)).toEqual([
      { ...asked, dry: true },
      { ...asked, key: expect.any(String) },
    ])
  })

  test('is not proposed to a user whom the CMS refuses it', async () => {
    answer = () => Promise.reject(new ToolError('This user may not order.'))
    const { seen } = await turn('mcp__CMS__shop_order', { item: 'lamp' })

    expect(seen.pendingApproval).toBeNull()
    expect(read()).toContain('This user may not order.')
    expect(called.map(({ dry }) => dry)).toEqual([true])
  })

  test('that has changed since the proposal is proposed again', async () => {
    const { id, seen } = await turn('mcp__CMS__shop_order', { item: 'lamp' })
    abilities = [{ ...order, description: 'Orders ten' }]

    const again = await approve(id)
    expect(again.pendingApproval?.digest).not.toBe(seen.pendingApproval?.digest)
    expect(called.filter(({ key }) => key !== undefined)).toEqual([])
  })

  test.each([
    ['whose call the CMS has seen before', async () => undefined],
    ['during which the CMS falls silent', () => Promise.reject(new CmsFailure('cms.unavailable', 'Away'))],
  ])('%s ends without an outcome, and is not called again', async (_what, end) => {
    const { id } = await turn('mcp__CMS__shop_order', { item: 'lamp' })
    answer = async (asked) => (asked.dry ? { output: null } : end())

    expect(outcomes(await approve(id))).toEqual(['unknown'])
    expect(read()).toContain('It is unknown whether this was done')
    expect(called.filter(({ key }) => key !== undefined)).toHaveLength(1)
  })
})

test('a CMS that does not list them costs a turn the tools alone', async () => {
  const cms = { ...shop(), abilities: () => Promise.reject(new CmsFailure('cms.unavailable', 'Away')) }
  await bench.configure()
  bench.api.reply({ text: 'Hello.' })
  const { id } = (await editor.send('Hello')).conversation
  await bench.consume({ cms })

  expect(offered()).toEqual([])
  expect((await editor.poll(id)).conversation.status).toBe('idle')
})
