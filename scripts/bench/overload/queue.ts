/**
 * The order of a standard queue of SQS whose messages have a tenant (`MessageGroupId`), as AWS describes its fair queues:
 * a tenant with more than 10 % of the messages in flight, and at least 30 of them, is given to consumers only where no other
 * tenant has a message. Its second measure, the share of working time, is left out.
 */
const noisyShare = 0.1
const noisyCount = 30

/** A queue of messages; `isFair` false: in the order in which they came, whosever they are. */
export function fairQueue<M extends { tenant: string; receipt: string }>(isFair: boolean) {
  const byTenant = new Map<string, { message: M; order: number }[]>()
  const inFlight = new Map<string, string>()
  const counts = new Map<string, number>()
  let order = 0

  const isNoisy = (tenant: string) => {
    const own = counts.get(tenant) ?? 0
    return isFair && own >= noisyCount && own > noisyShare * inFlight.size
  }
  const changeCount = (tenant: string, by: number) => counts.set(tenant, (counts.get(tenant) ?? 0) + by)

  return {
    put(message: M): void {
      const own = byTenant.get(message.tenant) ?? []
      own.push({ message, order: order++ })
      byTenant.set(message.tenant, own)
    },
    /** The next message, the oldest of a quiet tenant first; undefined where none waits. */
    take(): M | undefined {
      const heads = [...byTenant].map(([tenant, [head]]) => ({ tenant, order: head?.order ?? 0 }))
      const quiet = heads.filter(({ tenant }) => !isNoisy(tenant))
      const [first] = (quiet.length > 0 ? quiet : heads).toSorted((one, other) => one.order - other.order)
      const own = first && byTenant.get(first.tenant)
      const taken = own?.shift()
      if (first && own?.length === 0) byTenant.delete(first.tenant)
      return taken?.message
    },
    /** A consumer has the message now. */
    begin({ tenant, receipt }: M): void {
      inFlight.set(receipt, tenant)
      changeCount(tenant, 1)
    },
    /** The message of this receipt is done. */
    end(receipt: string): void {
      const tenant = inFlight.get(receipt)
      if (tenant !== undefined && inFlight.delete(receipt)) changeCount(tenant, -1)
    },
  }
}
