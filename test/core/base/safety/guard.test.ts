import { afterEach, describe, expect, test } from 'vitest'
import { guarded, isPrivate } from '../../../../core/base/safety/guard.ts'
import { listen } from '../../../support/mcp.ts'

let stop: (() => void)[] = []
afterEach(() => {
  for (const one of stop) one()
  stop = []
})

async function server(handle: Parameters<typeof listen>[0]) {
  const started = await listen(handle)
  stop.push(started.stop)
  return started
}

const local = { maxBytes: 10_000, isLocal: true }
const deployed = { ...local, isLocal: false }

describe('addresses of networks that are not open to all', () => {
  test.each([
    '127.0.0.1',
    '10.1.2.3',
    '172.16.0.1',
    '172.31.255.255',
    '192.168.1.1',
    '169.254.169.254',
    '100.64.0.1',
    '0.0.0.0',
    '224.0.0.1',
    '255.255.255.255',
    '::1',
    '::',
    'fd00:ec2::254',
    'fe80::1',
    'ff02::1',
    '::ffff:127.0.0.1',
    '::ffff:169.254.169.254',
    '64:ff9b::7f00:1',
    '2002:7f00:1::',
    'no address',
  ])('%s is one', (address) => expect(isPrivate(address)).toBe(true))

  test.each(['93.184.215.14', '1.1.1.1', '172.32.0.1', '2606:4700:4700::1111'])('%s is none', (address) =>
    expect(isPrivate(address)).toBe(false),
  )
})

describe('on a deployed stage', () => {
  test.each([
    ['http://example.com/', 'The address does not begin with https:.'],
    ['https://127.0.0.1/', 'The address leads to a private network.'],
    ['https://2130706433/', 'The address leads to a private network.'],
    ['https://[::1]/', 'The address leads to a private network.'],
    ['https://[::ffff:10.0.0.1]/', 'The address leads to a private network.'],
    ['https://localhost/', 'The address leads to a private network.'],
    ['file:///etc/passwd', 'The address does not begin with https:.'],
  ])('%s is not asked', async (address, message) => {
    await expect(guarded(deployed)(address)).rejects.toThrow(message)
  })
})

test('a request and its answer pass as they are', async () => {
  const { url } = await server((request, response) => {
    response.writeHead(201, { 'content-type': 'text/plain', 'x-given': request.headers['x-asked'] })
    request.pipe(response)
  })
  const answer = await guarded(local)(url, { method: 'POST', headers: { 'X-Asked': 'yes' }, body: 'Grüße' })
  expect([answer.status, answer.headers.get('x-given'), await answer.text()]).toEqual([201, 'yes', 'Grüße'])
})

test('a redirect is not followed, and its target never learns of the token', async () => {
  const heard: unknown[] = []
  const thief = await server((request, response) => {
    heard.push(request.headers.authorization)
    response.end()
  })
  const { url } = await server((_, response) => response.writeHead(307, { location: thief.url }).end())
  const asked = guarded(local)(url, {
    method: 'POST',
    headers: { authorization: 'Bearer secret' },
    body: '{}',
  })
  await expect(asked).rejects.toThrow('The server answered with a redirect, which is not followed.')
  expect(heard).toEqual([])
})

test('an answer is read up to its limit and no further', async () => {
  const { url } = await server((_, response) => response.end('x'.repeat(20_000)))
  const answer = await guarded(local)(url)
  await expect(answer.text()).rejects.toThrow()
})

test('an answer that never ends is cut at its limit', async () => {
  const { url } = await server(function more(_, response) {
    const write = () => {
      while (!response.destroyed && response.write('x'.repeat(1_000)));
      if (!response.destroyed) response.once('drain', write)
    }
    write()
  })
  const answer = await guarded(local)(url)
  await expect(answer.text()).rejects.toThrow()
})

test('an answer that is not wanted can be cancelled while it arrives, and closes its connection', async () => {
  let closed = 0
  const endless = await server((_, response) => {
    const timer = setInterval(() => response.write('x'.repeat(1_000)), 1)
    response.on('close', () => {
      clearInterval(timer)
      closed++
    })
  })
  const answers = await Promise.all(
    Array.from({ length: 20 }, () => guarded({ ...local, maxBytes: 1_000_000_000 })(endless.url)),
  )
  await Promise.all(answers.map(({ body }) => body?.cancel()))
  await expect.poll(() => closed).toBe(20)
})

test('a request that is aborted when its answer has just ended fails for nobody', async () => {
  const short = await server((_, response) => response.end('short'))
  for (let at = 0; at < 20; at++) {
    const given = new AbortController()
    const answer = await guarded(local)(short.url, { signal: given.signal })
    expect(await answer.text()).toBe('short')
    given.abort()
  }
})
