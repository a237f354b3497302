import { outcome } from './change.ts'
import type { Rule } from './proposed.ts'
import { call, type Script } from './script.ts'
import { unknownTarget } from './show.ts'
import type { Situation } from './situation.ts'
import { withoutTool } from './speech.ts'
import { find } from './target.ts'

/** Deletes and restores one named record. */

const polite = /^(?:please|bitte),? /i
const away = /^(?:delete|lösche|supprim(?:er|ez?)) (.{1,200})$/i
const back =
  /^(?:undelete (.{1,200})|bring (.{1,200}) back(?: from the bin)?|hole? (.{1,200}?) (?:zurück|aus dem papierkorb)|récupér(?:er|ez?) (.{1,200}?)(?: de la corbeille)?)$/i
const article = /^(?:la |le |l[’'])/i

/** The rule for deleting or restoring a record. */
export const binned: Rule = (s) => {
  const text = s.question
    .trim()
    .replace(polite, '')
    .replace(/[.!]+$/, '')
  const [, gone] = away.exec(text) ?? []
  if (gone) return moved(s, 'delete_record', gone)
  const [, ...returned] = back.exec(text) ?? []
  const target = returned.find(Boolean)
  return target ? moved(s, 'undelete_record', target) : undefined
}

function moved(s: Situation, tool: string, target: string): Script | string {
  if (!s.tools.includes(tool)) return withoutTool(s.lang, tool, s.refusals.get(tool))
  return moving(s, tool, target.replace(article, ''))
}

function* moving(s: Situation, tool: string, target: string): Script {
  const found = yield* find(s, target)
  if (!found) return unknownTarget(s)
  return outcome(s, yield* call(tool, { table: found.table, uid: found.uid }))
}
