import type { Client } from '@modelcontextprotocol/client'
import { expect, test } from 'vitest'
import * as Table from '../../../../core/base/aws/table.ts'
import { McpServer } from '../../../../core/stage/settings/server.ts'
import type { Session } from '../../../../core/tool/remote/connect.ts'
import { forgetListings, listingOf } from '../../../../core/tool/remote/listing.ts'
import { codec, remember, seenServers } from '../../../../core/tool/remote/review.ts'

const slow = McpServer.parse({ name: 'slow', url: 'https://slow.example/mcp', timeoutMs: 25_000 })
const quick = McpServer.parse({ name: 'quick', url: 'https://quick.example/mcp', timeoutMs: 1_000 })

/** Asks a server that never starts, at these moments; answers the time in milliseconds that it had each time. */
async function patience(server: McpServer, isFresh: boolean, ...moments: number[]) {
  forgetListings()
  const times: (number | undefined)[] = []
  const session: Session = {
    client: async (timeoutMs) => {
      times.push(timeoutMs)
      throw new Error('It is still starting')
    },
    drop: () => undefined,
    end: async () => undefined,
  }
  for (const now of moments) {
    const listed = await listingOf(server, { uid: 1, isLocal: true, now }, isFresh, session)
    expect(listed).toEqual({ failure: 'It is still starting' })
  }
  return times
}

test('a turn waits five seconds for a list, and a person who asks for it as long as the settings say', async () => {
  expect(await patience(slow, false, 0)).toEqual([5_000])
  expect(await patience(quick, false, 0)).toEqual([1_000])
  expect(await patience(slow, true, 0)).toEqual([25_000])
})

test('a server that gave no list is left alone for half a minute', async () => {
  expect(await patience(slow, false, 0, 29_999, 30_000)).toEqual([5_000, 5_000])
})

test('a turn that gives a server up late takes its tools from no turn that has read them meanwhile', async () => {
  forgetListings()
  const { promise, reject } = Promise.withResolvers<Client>()
  const client = { listTools: async () => ({ tools: [] }), getServerVersion: () => undefined }
  const asked = (now: number, client: Promise<Client>) =>
    listingOf(slow, { uid: 1, isLocal: true, now }, false, {
      client: () => client,
      drop: () => undefined,
      end: async () => undefined,
    })

  const late = asked(0, promise)
  const read = await asked(1, Promise.resolve(client as unknown as Client))
  reject(new Error('It is still starting'))
  await late

  expect(await asked(2, promise)).toEqual(read)
})

test('a server that answers is not said to be silent for long, whatever another process saw last', async () => {
  const listed = { listing: { title: 'Shop', tools: [] } }
  await remember('quick', listed, 0)
  const seen = { title: '', tools: [], failure: 'It is still starting' }
  const of = { pk: 'mcp', sk: 'server#quick' }
  await Table.put({ ...of, ...codec.encode({ name: 'quick', seen, at: new Date(1).toISOString() }) })

  await remember('quick', listed, 5 * 60_000)

  const { title, failure } = (await seenServers()).find(({ name }) => name === 'quick') ?? {}
  expect({ title, failure }).toEqual({ title: 'Shop', failure: '' })
})
