import type { Audited } from '../core/audit/schema.ts'
import * as Log from '../core/log.ts'

type Refused = Omit<Audited, 'act'> & { act?: 'logon' | 'refuse'; refusal: string }

/** Audits a refusal. The caller is refused whether or not the table takes the entry. */
export async function refusal(event: Refused, retainDays: number | null, now: number): Promise<void> {
  try {
    // Hardly any request is refused: the others do without this code.
    const { noteRefusal } = await import('../core/audit/audit.ts')
    await noteRefusal(event, retainDays, now)
  } catch (error) {
    Log.error('A refusal could not be audited', error)
  }
}
