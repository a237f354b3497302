import type { Expansion } from '../agent/prompt/attachment.ts'
import type { See } from '../agent/prompt/picture.ts'
import type { Cms } from '../cms/cms.ts'
import type { Message } from '../conversation/transcript/schema.ts'
import type { Model, ModelError, ModelMessage, UserBlock } from '../model/model.ts'
import { mentioned } from './mentions.ts'
import type { Work } from './work.ts'

/** The attachments and mentions of a turn, as its requests send them. */
export type Attached = {
  /** The content of a row's attachment and mentions, as it is sent. */
  expand(row: Message): UserBlock[]
  /** The size of that in tokens. */
  cost(row: Message): number
  /**
   * Sends the file that the provider refused in another form from now on, and a picture of the site not at all; false when
   * there is none, or no other form.
   */
  withdraw(error: ModelError, messages: ModelMessage[]): Promise<boolean>
  /** Reads files and names again, for messages that came to the transcript since. */
  reread(): Promise<void>
}

/**
 * Reads the attachments and mentions of the transcript; notes on the work the files that the model does not get whole.
 * A file that a provider refused once is not sent in its own form again.
 */
export async function attach(
  work: Work,
  cms: Cms,
  model: Model,
  { nonce, signal, see }: { nonce: string; signal: AbortSignal; see: See | undefined },
): Promise<Attached> {
  const blocked = new Set(work.conversation.refusedFiles)
  const options = { now: work.now(), nonce, blocked, signal }
  const read = async (): Promise<Expansion> => {
    // Most turns have no file: a start does without the code that reads one.
    if (work.rows.every(({ fileUid }) => fileUid === undefined)) return new Map()
    const { expand, notUsed } = await import('../agent/prompt/attachment.ts')
    const found = await expand(work.actor, work.rows, model, options)
    work.notUsed = notUsed(found, work.rows)
    return found
  }
  let named = await mentioned(cms, work.actor, work.rows, { nonce, see })
  let expansion = await read()
  return {
    expand: (row) => [...named.blocks(row), ...(expansion.get(row.sequence)?.blocks ?? [])],
    cost: (row) => named.cost(row) + (expansion.get(row.sequence)?.tokens ?? 0),
    reread: async () => {
      named = await mentioned(cms, work.actor, work.rows, { nonce, see })
      expansion = await read()
    },
    withdraw: async (error, messages) => {
      const block = refused(error, messages)
      if (block?.type === 'tool_result') return work.pictures.delete(block.callId)
      if (named.drop(block)) return true
      const { fileOf } = await import('../agent/prompt/attachment.ts')
      const fileUid = fileOf(expansion, block)
      if (fileUid === undefined || blocked.has(fileUid)) return false
      blocked.add(fileUid)
      await work.save({ refusedFiles: [...blocked] })
      expansion = await read()
      return true
    },
  }
}

function refused({ attachment }: ModelError, messages: ModelMessage[]): UserBlock | undefined {
  const message = attachment && messages[attachment.message]
  return message?.role === 'user' ? message.content[attachment?.block ?? -1] : undefined
}
