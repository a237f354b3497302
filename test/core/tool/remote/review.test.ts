import { expect, test } from 'vitest'
import { McpServer } from '../../../../core/stage/settings/server.ts'
import { definitionOf } from '../../../../core/tool/remote/definition.ts'
import { allowance } from '../../../../core/tool/remote/review.ts'

const offered = (name: string) => definitionOf({ name, inputSchema: { type: 'object' } })
const [price, stock, order] = [offered('price'), offered('stock'), offered('order')]
const old = { class: 'off' as const, hash: '0'.repeat(64) }
const look = { tool: 'stock', arguments: { of: 'item' } }
const server = McpServer.parse({
  name: 'shop',
  url: 'https://shop.example/mcp',
  tools: {
    gone: old,
    stock: { class: 'read', hash: stock.hash },
    order: { class: 'write', hash: '1'.repeat(64), look },
  },
})
const listing = { title: 'The shop', tools: [price, stock, order] }

test('many tools are allowed with one block, which keeps what is allowed already', () => {
  expect(allowance(server, listing, { read: ['price'], write: ['order'] })).toEqual({
    gone: old,
    stock: { class: 'read', hash: stock.hash },
    price: { class: 'read', hash: price.hash },
    order: { class: 'write', hash: order.hash, look },
  })
})

test('the block passes the check of the settings', () => {
  const tools = allowance(server, listing, { read: ['price'], write: ['order'] })
  expect(McpServer.safeParse({ ...server, tools }).success).toBe(true)
})
