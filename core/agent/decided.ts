import type { PutPreview } from '../cms/preview.ts'
import type { RecordName } from '../conversation/transcript/schema.ts'
import { remarked } from '../tool/result.ts'
import type { Ended } from './journal.ts'
import type { Planned } from './plan.ts'
import type { Served } from './served.ts'

/** How a call ended. */
export type Ending = Omit<Ended, 'call'>

/**
 * The result of a call after its decision, with its record and the user's remark. The remark follows the fence: the user
 * speaks to the model there, while a fence holds data of others.
 */
export function decided(
  planned: Planned & { kind: 'write' | 'call' },
  { result, changed }: Ending,
  served?: Served,
): Ending {
  const records = planned.kind === 'write' ? subjectOf(planned.preview) : []
  const whole = { records, ...result, approved: result.outcome !== 'denied' }
  const said = served?.remark ? remarked(whole, served.remark) : whole
  const wording = planned.kind === 'write' && result.outcome === 'done' ? planned.wording : undefined
  return { result: wording ? withWording(said, Object.keys(wording)) : said, changed }
}

function subjectOf({ table, uid, label, page }: PutPreview): RecordName[] {
  if (uid === null) return []
  return [{ table, uid, title: label, page: page.uid }]
}

/** Field names need no fence: the schema of the tools' arguments allows only letters, digits and a few signs in them. */
function withWording(result: Ended['result'], edited: string[]): Ended['result'] {
  const text = `${result.text}\nBefore approving, the user put other words in the place of yours for: ${edited.join(', ')}.`
  return { ...result, text, edited }
}
