import { afterAll, beforeAll, expect, test } from 'vitest'
import { faultsOf, inspect } from '../../../../core/cms/bridge/hello.ts'
import { newCode, pairingOf } from '../../../../core/cms/bridge/pairing.ts'
import type { ServerOptions } from '../../../../core/cms/bridge/server.ts'
import type { Cms } from '../../../../core/cms/cms.ts'
import { seededCms } from '../../../support/cms.ts'
import { type CmsServer, serveCms } from '../../../support/cms-server.ts'

const { keyId, bridgeKey } = pairingOf(newCode('http://127.0.0.1:3000')) as NonNullable<
  ReturnType<typeof pairingOf>
>
const servers: CmsServer[] = []
let start: (wrong?: Partial<ServerOptions>, over?: Partial<Cms>) => Promise<string>
let cms: Cms

beforeAll(async () => {
  cms = (await seededCms(Date.now())).cms
  start = async (wrong, over) => {
    const server = await serveCms({ ...cms, ...over }, new Map([[keyId, bridgeKey]]), wrong)
    servers.push(server)
    return server.base
  }
})
afterAll(() => Promise.all(servers.map((server) => server.close())))

const line = (url: string) => ({ url, keyId, secret: bridgeKey })

test('a line that is right has no fault', async () => {
  expect(await inspect(line(await start()))).toMatchObject({
    greeting: { name: 'Reference CMS' },
    faults: [],
  })
})

test('another base address is named on both sides', async () => {
  const url = await start({ base: 'https://www.example.com/api' })

  expect((await inspect(line(url))).faults).toEqual([
    `The base address is wrong: the stage has ${url}, the CMS takes https://www.example.com/api for its own. Use one of the two on both sides.`,
  ])
})

test('a clock that differs is reported with its seconds', async () => {
  const { faults } = await inspect(line(await start({ now: () => Date.now() + 600_000 })))

  expect(faults).toEqual([
    expect.stringMatching(/^The clock of the CMS is (599|600|601) seconds ahead of this one/),
  ])
})

test.each([
  ['a key that the CMS does not know', { keyId: '0'.repeat(16) }, /does not know this key id/],
  [
    'another key of the same id',
    { secret: 'f'.repeat(64) },
    /^The CMS signs other bytes, or with another key: give the chat the body before anything parses it/,
  ],
])('%s', async (_, wrong, said) => {
  const { greeting, faults } = await inspect({ ...line(await start()), ...wrong })

  expect(greeting).toBeUndefined()
  expect(faults).toEqual([expect.stringMatching(said)])
})

test('a place without the bridge', async () => {
  const url = (await start()).replace('/api', '/other')

  expect((await inspect(line(url))).faults).toEqual([
    `Nothing answers under ${url}/aic/v2: another address, or a plugin that is not active or too old.`,
  ])
})

test.each([
  [
    'that the stage does not know',
    { writes: { state: [], levitate: ['pages'] } },
    / in writes: Unrecognized key: "levitate"/,
  ],
  ['that are missing', { tree: undefined }, / in tree: Invalid input: expected object, received undefined/],
  ['of another kind', { history: 'yes' }, / in history: Invalid input: expected boolean, received string/],
])('capabilities %s are named', async (_, wrong, said) => {
  const capabilities = async () => ({ ...(await cms.capabilities()), ...(wrong as object) })

  const { faults } = await inspect(line(await start({}, { capabilities })))

  expect(faults).toEqual([expect.stringMatching(said)])
})

test('a CMS that cannot be reached', async () => {
  const { faults } = await inspect(line('http://127.0.0.1:9/api'))

  expect(faults).toEqual([expect.stringContaining('cannot be reached')])
})

test('a CMS that blocks its own requests', () => {
  const url = 'https://cms.example/api'
  const greeting = { base: url, time: 0, keyId, name: 'A', version: '1', protocols: [2], outgoing: false }

  expect(faultsOf(line(url), greeting, 0)).toEqual([
    expect.stringContaining('blocks its outgoing requests to the stage'),
  ])
})
