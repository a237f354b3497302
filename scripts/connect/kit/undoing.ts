import { kept } from '../../../core/agent/kept.ts'
import type { Intent } from '../../../core/agent/run-item.ts'
import type { Cms } from '../../../core/cms/cms.ts'
import * as Writes from '../../../core/undo/writes.ts'

/** The CMS with an undo: its own, or where it has none, that of the stage, which notes every write in this process. */
export async function undoing(cms: Cms): Promise<Cms> {
  if ((await cms.capabilities()).undo) return cms
  const runs = new Map<string, Map<string, Intent>>()
  let order = 0
  const intentsOf = (runId: string) => {
    const known = runs.get(runId) ?? new Map<string, Intent>()
    runs.set(runId, known)
    return known
  }
  const notesOf = (runId: string): Writes.Notes => {
    const intents = intentsOf(runId)
    return {
      all: async () => [...intents.values()],
      begin: async (key, callId) => {
        const intent = { key, callId, tool: Writes.tool, at: '', order: 0, outcome: undefined }
        if (!intents.has(key)) intents.set(key, intent)
      },
      conclude: async (key, outcome) => {
        const intent = intents.get(key)
        if (!intent || intent.outcome !== undefined) return false
        intents.set(key, { ...intent, outcome })
        return true
      },
      forget: async (key) => {
        intents.delete(key)
      },
    }
  }
  return {
    ...cms,
    write: async (actor, write, options) => {
      const outcome = await cms.write(actor, write, options)
      const { key, correlationId } = options
      const intent = { key, callId: '', tool: write.kind, at: '', order: order++, outcome: kept(outcome) }
      const intents = intentsOf(correlationId)
      if (!intents.has(key)) intents.set(key, intent)
      return outcome
    },
    changesOf: (actor, runId) => Writes.changesOf({ actor, cms, runId, notes: notesOf(runId) }),
    undo: (actor, runId, now, only) =>
      Writes.takeBack({ actor, cms, runId, notes: notesOf(runId), now }, only),
  }
}
