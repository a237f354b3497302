import type { Intent } from '../../../core/agent/run-record.ts'
import * as Undo from '../../../core/agent/undo/undo.ts'
import { kept } from '../../../core/agent/write-outcome.ts'
import type { Actor } from '../../../core/base/actor.ts'
import type { Cms, Place, UndoResult } from '../../../core/cms/cms.ts'
import { firstGiven, type UserNumbers } from '../../../core/cms/user-number/schema.ts'

/** A CMS with an undo for its puts. */
export type Undoing = ReturnType<typeof undoing>

/** Returns a CMS that notes every put in this process, and can undo the puts as the stage does. */
export function undoing(cms: Cms) {
  const runs = new Map<string, Map<string, Intent>>()
  let order = 0
  const intentsOf = (runId: string) => {
    const known = runs.get(runId) ?? new Map<string, Intent>()
    runs.set(runId, known)
    return known
  }
  const intentStoreOf = (runId: string): Undo.IntentStore => {
    const intents = intentsOf(runId)
    return {
      all: async () => [...intents.values()],
      begin: async (key, callId) => {
        const intent = { key, callId, tool: Undo.undoTool, at: '', order: 0, outcome: undefined }
        if (!intents.has(key)) intents.set(key, intent)
      },
      conclude: async (key, outcome) => {
        const intent = intents.get(key)
        if (!intent || intent.outcome !== undefined) return false
        intents.set(key, { ...intent, outcome })
        return true
      },
      forget: async (key) => void intents.delete(key),
    }
  }
  const put: Cms['put'] = async (actor, asked) => {
    const answer = await cms.put(actor, asked)
    if ('dry' in asked) return answer
    const { key, correlationId } = asked
    const [intents, outcome] = [intentsOf(correlationId), kept(answer)]
    const intent = { key, callId: '', tool: 'put', at: '', order: order++, outcome }
    if (!intents.has(key)) intents.set(key, intent)
    return answer
  }
  return {
    cms: { ...cms, put },
    countUndoable: (actor: Actor, runId: string) =>
      Undo.countUndoable({ actor, cms, runId, store: intentStoreOf(runId) }),
    undo: async (actor: Actor, runId: string, now: number, only?: Place): Promise<UndoResult> => {
      const scene = { actor, cms, runId, store: intentStoreOf(runId), now }
      const { undone, conflicts } = await Undo.takeBack(scene, only)
      return { undone, conflicts }
    },
  }
}

/** Returns user numbers for a check without a stage; they are valid until this process ends. */
export function numbersHere(): UserNumbers {
  const texts: string[] = []
  return {
    numberOf: async (id) => {
      if (!texts.includes(id)) texts.push(id)
      return firstGiven + texts.indexOf(id)
    },
    textOf: async (uid) => texts[uid - firstGiven],
  }
}
