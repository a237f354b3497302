import { expect, test } from 'vitest'
import { clientOf } from '../../../../core/user/access-token/client.ts'
import { listen } from '../../../support/mcp.ts'

/** The addresses that clients give as their id on a deployed stage, which asks no private network. */

process.env.AI_CHAT_LOCAL = 'false'

test.each<[string, (port: string) => string]>([
  ['this machine', (port) => `https://127.0.0.1:${port}/client.json`],
  ['this machine by a name', (port) => `https://localhost:${port}/client.json`],
  ['this machine without TLS', (port) => `http://127.0.0.1:${port}/client.json`],
  ['the metadata of the cloud', () => 'https://169.254.169.254/latest/meta-data'],
  ['a user and a password', (port) => `https://a:b@localhost:${port}/client.json`],
  ['no path', (port) => `https://localhost:${port}`],
  ['no host', () => 'https:'],
  ['an open bracket in the place of its host', () => 'https://['],
])('an address with %s is that of no client, and is not asked', async (_, address) => {
  const asked: (string | undefined)[] = []
  const site = await listen(({ url }, response) => {
    asked.push(url)
    response.end('{}')
  })
  const { port } = new URL(site.url)

  expect(await clientOf(address(port))).toBeUndefined()
  expect(asked).toEqual([])
  site.stop()
})
