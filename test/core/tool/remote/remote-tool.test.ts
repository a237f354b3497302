import { expect, test } from 'vitest'
import { McpServer } from '../../../../core/stage/settings/server.ts'
import { definitionOf } from '../../../../core/tool/remote/definition.ts'
import { type Act, remoteTools } from '../../../../core/tool/remote/remote-tool.ts'
import type { CallTool, ToolContext } from '../../../../core/tool/tool.ts'

const offered = (name: string) => definitionOf({ name, inputSchema: { type: 'object' } })
const listing = { title: '', tools: [offered('order'), offered('stock')] }
const server = McpServer.parse({
  name: 'shop',
  url: 'https://shop.example/mcp',
  tools: {
    order: { class: 'write', hash: offered('order').hash, look: { tool: 'stock', arguments: {} } },
    stock: { class: 'read', hash: offered('stock').hash },
  },
})

test('a call that is done is reported as done, also when its turn is stopped before the look after it', async () => {
  const turn = new AbortController()
  const act: Act = async (_, __, { signal }, mayChange) => {
    if (mayChange) turn.abort(new Error('The turn was stopped'))
    else signal.throwIfAborted()
    return { text: 'Ordered.' }
  }
  const [order] = remoteTools(server, listing, act) as [CallTool]

  const found = await order.call({}, { signal: turn.signal } as ToolContext)

  expect(found.text).toMatch(/^Ordered\./)
})
