import type { StatusAnswer } from '../../../core/chat/status-request.ts'
import type { RecordName } from '../../../core/conversation/transcript/schema.ts'
import { tableWord } from '../view/record-link.ts'
import type { View } from '../view/view.ts'

/** A tool, with its words in the language of the interface. */
type ToolStatus = StatusAnswer['tools'][number]

/** A tool as the stage describes it; undefined where it is gone since, or not known yet. */
export function toolOf({ store }: Pick<View, 'store'>, name: string): ToolStatus | undefined {
  return store?.status?.tools.find((one) => one.name === name)
}

/** A record by its name, or by what people call the records of its table. */
export function recordName(view: Pick<View, 't'>, { table, uid, title }: RecordName): string {
  return `${title || tableWord(view, table)} [${uid}]`
}
