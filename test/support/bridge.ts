import { bridge } from '../../core/cms/bridge/bridge.ts'
import { answer } from '../../core/cms/bridge/server.ts'
import type { Cms } from '../../core/cms/cms.ts'
import type { Bench } from './live.ts'

/**
 * A CMS over the bridge, with what is sent between both ends: `served` has each request's operations. `spoil` changes the
 * answers on their way.
 */
export function bridged(behind: Cms, spoil = (answer: string) => answer) {
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
    return new Response(spoil(answered.body), { status: answered.status })
  }
  return { cms: bridge({ url: base, keyId: 'k', secret, fetch: wire }), served }
}

const named = ({ operation }: { operation: string }) => operation

/** A turn of two reads and one write on the bench, approved and shown; throws where the record is not as approved. */
export async function turnOfThree(bench: Bench): Promise<void> {
  const editor = await bench.login('editor')
  const call = (id: string, name: string, args: object) => ({ id, name, arguments: args })
  const change = { table: 'news', uid: 1, fields: { title: 'Elsewhere' } }
  bench.api.reply({ text: '', calls: [call('one', 'get_page_content', { page: 3 })] })
  bench.api.reply({ text: '', calls: [call('two', 'get_record', { table: 'news', uid: 1 })] })
  bench.api.reply({ text: '', calls: [call('three', 'update_record', change)] })
  bench.api.reply({ text: 'Done.' })
  const shown = await editor.turn('Rename it', { viewContext: { pageId: 3, module: 'page' } })
  const { conversation, pendingApproval } = shown
  // The interface approves what its last poll showed.
  const digest = pendingApproval?.digest
  await editor.post('approve', { conversationId: conversation.id, digest, approve: true })
  await bench.settle()
  await editor.poll(conversation.id)
  if ((await bench.field('news', 1)) !== 'Elsewhere') throw new Error('The turn has not made its change.')
}
