import { randomUUID } from 'node:crypto'
import { handler as poll } from '../../../functions/poll.ts'
import { handler as send } from '../../../functions/send.ts'
import { openBed } from '../bed.ts'
import { grow } from '../history.ts'
import { meter, type Request } from '../meter.ts'
import type { Row } from '../result-table.ts'
import { interleaved, median, quantile, type Sample } from '../sample.ts'
import { section } from '../section.ts'
import { call, seedSite, visitor } from '../site.ts'

const times = 400
const warmUp = 100

/**
 * Measures the overhead of the poll and send handlers over their requests. The baseline is bare functions that make the
 * same requests and do nothing else: no token, no rights, no schema, no error handling.
 */
section(async () => {
  await openBed()
  const editor = await seedSite()
  const id = await grow(editor, 20, Date.now())
  const { get, post } = await visitor(editor.uid)
  const bare = await import('../floor/queue.ts')

  const first = await call<{ conversation: { version: number } }>(poll, asked())
  const fast = () => call(poll, asked(first.conversation.version))
  const newOnes = () => call(poll, asked())
  const sent = () => call(send, post('/ai-chat/conversations/send', { content: 'What is new on the site?' }))
  const subjects = {
    fast,
    fastBare: bareOf(await requestsOf(fast)),
    whole: newOnes,
    wholeBare: bareOf(await requestsOf(newOnes)),
    send: sent,
    sendBare: bareOf(await requestsOf(sent)),
  }
  meter().detach()
  const samples = await interleaved(subjects, times, warmUp)
  return [
    ...rows('fast poll', samples.fast, samples.fastBare),
    ...rows('poll with 20 rows', samples.whole, samples.wholeBare),
    ...rows('send', samples.send, samples.sendBare),
  ]

  function asked(version?: number) {
    return get('/ai-chat/conversations/messages', { conversationId: id, ...(version && { version }) })
  }

  /** A bare send stores under keys of its own, as every send does. */
  function bareOf(requests: Request[]): () => Promise<unknown> {
    return () =>
      bare.handler({ steps: requests.map((request) => ({ ...request, input: renamed(request.input) })) })
  }
})

async function requestsOf(act: () => Promise<unknown>): Promise<Request[]> {
  await act()
  meter().take()
  await act()
  return meter().take()
}

/** The input as a transaction of its own, with another conversation in every key that it puts. */
function renamed(input: Record<string, unknown>): Record<string, unknown> {
  if (!('TransactItems' in input)) return input
  const copy = structuredClone(input) as {
    ClientRequestToken?: string
    TransactItems: { Put?: { Item: Record<string, unknown> } }[]
  }
  const pk = `conversation#bench-${randomUUID()}`
  for (const { Put } of copy.TransactItems) if (Put) Put.Item.pk = pk
  copy.ClientRequestToken = randomUUID()
  return copy
}

function rows(what: string, ours: Sample[], bare: Sample[]): Row[] {
  const ms = (samples: Sample[]) => samples.map((sample) => sample.ms)
  const cpu = (samples: Sample[]) => samples.map((sample) => sample.cpu)
  const ratio = (of: (samples: Sample[]) => number) => of(ours) / of(bare)
  const mean = (numbers: number[]) => numbers.reduce((sum, number) => sum + number, 0) / numbers.length
  return [
    {
      what: `${what}, p50 against the bare function`,
      value: ratio((samples) => median(ms(samples))),
      unit: 'times the time',
      limit: { most: 1.3 },
      note: `${median(ms(ours)).toFixed(1)} against ${median(ms(bare)).toFixed(1)} ms`,
    },
    {
      what: `${what}, p99 against the bare function`,
      value: ratio((samples) => quantile(ms(samples), 0.99)),
      unit: 'times the time',
      limit: { most: 1.3 },
      note: `${quantile(ms(ours), 0.99).toFixed(1)} against ${quantile(ms(bare), 0.99).toFixed(1)} ms`,
    },
    {
      what: `${what}, processor time beyond the bare function`,
      value: mean(cpu(ours)) - mean(cpu(bare)),
      unit: 'ms',
      note: `${mean(cpu(ours)).toFixed(2)} against ${mean(cpu(bare)).toFixed(2)} ms`,
    },
  ]
}
