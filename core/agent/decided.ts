import type { WritePreview } from '../cms/cms.ts'
import { remarked } from '../tool/result.ts'
import type { RecordName } from '../transcript/schema.ts'
import type { Ended } from './journal.ts'
import type { Planned } from './propose.ts'
import type { Served } from './served.ts'

/** How a call ended. */
export type Ending = Omit<Ended, 'call'>

/**
 * The end of a call that was decided on: with the record that it is about, and with what the user said, which follows
 * the fence, because it is a word to the model and no data of a stranger.
 */
export function decided(
  planned: Planned & { kind: 'write' | 'call' },
  { result, changed }: Ending,
  served?: Served,
): Ending {
  const records = planned.kind === 'write' ? subjectOf(planned.preview) : []
  const told = { records, ...result, approved: result.outcome !== 'denied' }
  const said = served?.remark ? remarked(told, served.remark) : told
  const edits = planned.kind === 'write' && result.outcome === 'done' ? planned.edits : undefined
  return { result: edits ? withEdits(said, Object.keys(edits)) : said, changed }
}

function subjectOf({ table, uid, label, page }: WritePreview): RecordName[] {
  if (uid === null) return []
  return [{ table, uid, title: label, ...(table !== 'pages' && page && { page: page.uid }) }]
}

/** The names of fields are no data of a stranger: the schema of the tools' arguments allows letters, digits and lines alone. */
function withEdits(result: Ended['result'], edited: string[]): Ended['result'] {
  const text = `${result.text}\nBefore approving, the user put other words in the place of yours for: ${edited.join(', ')}.`
  return { ...result, text, edited }
}
