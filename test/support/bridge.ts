import { bridge } from '../../core/cms/bridge/bridge.ts'
import { answer } from '../../core/cms/bridge/server.ts'
import type { Cms } from '../../core/cms/cms.ts'

/** A CMS over the bridge, with what is sent between both ends: `served` has each request's operations. */
export function bridged(behind: Cms) {
  const base = 'https://cms.example/api'
  const secret = 'the key that both sides have'
  const spent = new Set<string>()
  const served: string[] = []
  const wire: typeof fetch = async (address, init) => {
    const operation = String(address).slice(`${base}/aic/v2/`.length)
    const body = String(init?.body)
    served.push(operation === 'batch' ? JSON.parse(body).calls.map(named).join(' + ') : operation)
    const spend = async (nonce: string) => !spent.has(nonce) && Boolean(spent.add(nonce))
    const options = { base, keys: new Map([['k', secret]]), spend, now: Date.now }
    const headers = Object.fromEntries(new Headers(init?.headers))
    const answered = await answer(behind, options, { operation, headers, body })
    return new Response(answered.body, { status: answered.status })
  }
  return { cms: bridge({ url: base, keyId: 'k', secret, fetch: wire }), served }
}

const named = ({ operation }: { operation: string }) => operation
