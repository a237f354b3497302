import { expect } from 'vitest'
import { definitionOf } from '../../../core/mcp/definition.ts'
import { McpServer } from '../../../core/settings/schema.ts'
import type { Service } from '../../security/service.ts'
import { call } from '../call.ts'
import { consent, startGranted } from '../grants.ts'

const callback = 'http://127.0.0.1:3000/ai-chat/connections/callback'
const inputSchema = {
  $schema: 'https://json-schema.org/draft/2020-12/schema',
  type: 'object' as const,
  properties: { item: { type: 'string' } },
  required: ['item'],
}

/** A user connects a server of tools by OAuth, a turn calls a tool there, and the user disconnects it. */
export async function useServers({ bench }: Service, configured: object): Promise<void> {
  const granted = await startGranted()
  const { hash } = definitionOf({ name: 'price', description: 'The price', inputSchema })
  const server = McpServer.parse({
    name: 'shop',
    url: granted.url,
    auth: 'oauth',
    tools: { price: { class: 'read', hash } },
  })
  await bench.configure({ ...configured, mcpServers: [server] })
  const editor = await bench.login('editor')
  const body = { server: 'shop' }
  const begun = await editor.ask<{ url: string }>('/ai-chat/connections/begin', { body })
  const { pathname, search } = new URL(await consent(begun.body.url, callback))
  const back = await call<string>(bench.handler, `${pathname}${search}`, { cookies: begun.cookies })
  expect(back.body).toContain('“shop” is connected.')
  bench.api.reply({ calls: [{ name: 'mcp__shop__price', arguments: { item: 'lamp' } }] }, { text: 'Read.' })
  await editor.turn('What is the price?')
  expect(granted.called).toHaveLength(1)
  // The token ends, and the turn has it renewed.
  await bench.clock.pass(3_600_000)
  await editor.get('/connections')
  bench.api.reply({ calls: [{ name: 'mcp__shop__price', arguments: { item: 'desk' } }] }, { text: 'Read.' })
  await (await bench.login('editor')).turn('And now?')
  await (await bench.login('editor')).ask('/ai-chat/connections/disconnect', { body })
  granted.stop()
}
