import { expect } from 'vitest'
import type { Service } from '../../security/service.ts'
import { connect, shop, startGranted } from '../grants.ts'

/** A user connects a server of tools by OAuth, a turn calls a tool there, and the user disconnects it. */
export async function useServers({ bench }: Service, configured: object): Promise<void> {
  const granted = await startGranted()
  await bench.configure({ ...configured, mcpServers: [shop(granted.url)] })
  const editor = await bench.login('editor')
  expect(await connect(bench, editor)).toContain('“shop” is connected.')
  bench.api.reply({ calls: [{ name: 'mcp__shop__price', arguments: { item: 'lamp' } }] }, { text: 'Read.' })
  await editor.turn('What is the price?')
  expect(granted.called).toHaveLength(1)
  // The token ends, and the turn has it renewed.
  await bench.clock.pass(3_600_000)
  await editor.get('/connections')
  bench.api.reply({ calls: [{ name: 'mcp__shop__price', arguments: { item: 'desk' } }] }, { text: 'Read.' })
  await (await bench.login('editor')).turn('And now?')
  const again = await bench.login('editor')
  await again.ask('/ai-chat/connections/disconnect', { body: { server: 'shop' } })
  granted.stop()
}
