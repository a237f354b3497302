import { lookup as resolve } from 'node:dns'
import { request as plainRequest } from 'node:http'
import { request as secureRequest } from 'node:https'
import { BlockList, isIP, type LookupFunction } from 'node:net'
import type { Readable } from 'node:stream'

/** Thrown if a request was not sent or its answer was not read; the message gives the reason. */
export class Refused extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'Refused'
  }
}

/** Limits of requests and their answers. */
type GuardLimits = {
  maxBytes: number
  /** True on the local stage, which allows servers on this machine and without TLS. */
  isLocal: boolean
}

/** The type of the MCP client's `fetch`. */
export type Fetch = (url: string | URL, init?: RequestInit) => Promise<Response>

const ranges: [string, number, 'ipv4' | 'ipv6'][] = [
  ['0.0.0.0', 8, 'ipv4'],
  ['10.0.0.0', 8, 'ipv4'],
  ['100.64.0.0', 10, 'ipv4'],
  ['127.0.0.0', 8, 'ipv4'],
  ['169.254.0.0', 16, 'ipv4'],
  ['172.16.0.0', 12, 'ipv4'],
  ['192.0.0.0', 24, 'ipv4'],
  ['192.0.2.0', 24, 'ipv4'],
  ['192.88.99.0', 24, 'ipv4'],
  ['192.168.0.0', 16, 'ipv4'],
  ['198.18.0.0', 15, 'ipv4'],
  ['198.51.100.0', 24, 'ipv4'],
  ['203.0.113.0', 24, 'ipv4'],
  ['224.0.0.0', 3, 'ipv4'],
]

/** True for an IP address that is not public, by IANA's special-purpose registries. */
export function isPrivate(address: string): boolean {
  const kind = isIP(address)
  if (kind === 0) return true
  nets ??= makeNets()
  if (kind === 4) return nets.closed.check(address, 'ipv4')
  // Only 2000::/3 is public, except documentation, Teredo and 6to4; Teredo and 6to4 tunnel other addresses.
  return nets.closed.check(address, 'ipv6') || !nets.open.check(address, 'ipv6')
}

/** The nets without public addresses, and the net of the public IPv6 addresses; made on first use. */
let nets: { closed: BlockList; open: BlockList } | undefined

function makeNets() {
  const closed = new BlockList()
  for (const [net, prefix, kind] of ranges) closed.addSubnet(net, prefix, kind)
  closed.addSubnet('2001::', 23, 'ipv6')
  closed.addSubnet('2001:db8::', 32, 'ipv6')
  closed.addSubnet('2002::', 16, 'ipv6')
  const open = new BlockList()
  open.addSubnet('2000::', 3, 'ipv6')
  return { closed, open }
}

/**
 * Returns a fetch that follows no redirect and reads at most `maxBytes` of an answer. On a deployed stage, it connects
 * only to public addresses over TLS. It is hand-written because Node's fetch hides the address of its connection. A
 * check before the request could see another address than the connection uses.
 */
export function guarded(limits: GuardLimits): Fetch {
  return async (target, init = {}) => {
    const url = new URL(target)
    refuseAddress(url, limits)
    const body = init.body == null ? undefined : Buffer.from(await new Response(init.body).arrayBuffer())
    const headers = Object.fromEntries(new Headers(init.headers))
    if (init.body instanceof URLSearchParams) headers['content-type'] ??= 'application/x-www-form-urlencoded'
    return send(url, { ...init, headers }, body, limits)
  }
}

function refuseAddress(url: URL, { isLocal }: GuardLimits): void {
  if (url.protocol !== 'https:' && !(isLocal && url.protocol === 'http:'))
    throw new Refused('The address does not begin with https:.')
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (!isLocal && isIP(host) && isPrivate(host)) throw new Refused(privateNetwork)
}

const privateNetwork = 'The address leads to a private network.'

/** Resolves a name; on a deployed stage it refuses a name with any private address. */
function lookupFor({ isLocal }: GuardLimits): LookupFunction {
  return (host, options, callback) => {
    resolve(host, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, [])
      if (!isLocal && addresses.some(({ address }) => isPrivate(address)))
        return callback(new Refused(privateNetwork), [])
      if (options.all) return callback(null, addresses)
      const [first] = addresses
      callback(null, first?.address ?? '', first?.family)
    })
  }
}

type Sent = RequestInit & { headers: Record<string, string> }

function send(url: URL, init: Sent, body: Buffer | undefined, limits: GuardLimits): Promise<Response> {
  const { method = 'GET', headers, signal } = init
  const request = url.protocol === 'https:' ? secureRequest : plainRequest
  const length: Record<string, string> = body ? { 'content-length': String(body.length) } : {}
  const options = { method, headers: { ...headers, ...length }, lookup: lookupFor(limits) }
  return new Promise((resolve, reject) => {
    // The option `signal` would emit its error on the connection, which has no listener after the answer has arrived.
    const abort = () => {
      reject(signal?.reason)
      sent.destroy()
    }
    const sent = request(url, options, (incoming) => {
      // The code that reads the answer handles its error. Without this listener, the error of an answer that nobody
      // reads would end the process.
      incoming.on('error', () => {})
      incoming.once('close', () => signal?.removeEventListener('abort', abort))
      const status = incoming.statusCode ?? 0
      if (status >= 300 && status < 400 && status !== 304) {
        incoming.destroy()
        reject(new Refused('The server answered with a redirect, which is not followed.'))
        return
      }
      const heads = new Headers()
      for (const [name, values = []] of Object.entries(incoming.headersDistinct)) {
        for (const value of values) heads.append(name, value)
      }
      const isEmpty = [204, 205, 304].includes(status) || method === 'HEAD'
      if (isEmpty) incoming.resume()
      const content = isEmpty ? null : bounded(incoming, limits.maxBytes)
      resolve(new Response(content as ConstructorParameters<typeof Response>[0], { status, headers: heads }))
    })
    sent.on('error', reject)
    if (signal?.aborted) return abort()
    signal?.addEventListener('abort', abort, { once: true })
    sent.end(body)
  })
}

/**
 * Returns the answer as a stream, which fails after `maxBytes` bytes. `Readable.toWeb` is not used: if it is cancelled
 * while bytes arrive, it throws outside of every request and ends the process.
 */
function bounded(incoming: Readable, maxBytes: number): ReadableStream<Uint8Array> {
  const chunks = chunksOf(incoming, maxBytes)
  return new ReadableStream({
    pull: async (controller) => {
      const { done, value } = await chunks.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel: () => void incoming.destroy(),
  })
}

async function* chunksOf(incoming: Readable, maxBytes: number): AsyncGenerator<Uint8Array> {
  let room = maxBytes
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    room -= chunk.length
    if (room < 0) throw new Refused(`The answer has more than ${maxBytes} bytes.`)
    yield chunk
  }
}
