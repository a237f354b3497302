import { outcome } from './change.ts'
import type { Rule } from './proposed.ts'
import { call, type Script } from './script.ts'
import { unknownTarget } from './show.ts'
import type { Situation } from './situation.ts'
import { withoutTool } from './speech.ts'
import { find } from './target.ts'

/** Deletes, restores, publishes and hides one named record. */

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

const publish = /^(?:publish|unhide|veröffentliche?|publi(?:er|ez?)) (.{1,200})$/i
const hide = /^(?:hide|unpublish|verberge?|verstecke?|masqu(?:er|ez?)) (.{1,200})$/i

/** The rule for publishing or hiding a record: the script knows the states of the product's own CMS alone. */
export const published: Rule = (s) => {
  const text = s.question
    .trim()
    .replace(polite, '')
    .replace(/[.!]+$/, '')
  const [, shown] = publish.exec(text) ?? []
  const [, hidden] = hide.exec(text) ?? []
  const target = shown ?? hidden
  if (!target || !s.isOwn) return undefined
  return moved(s, 'set_state', target, { state: shown ? 'visible' : 'hidden' })
}

function moved(s: Situation, tool: string, target: string, more = {}): Script | string {
  if (!s.tools.includes(tool)) return withoutTool(s.lang, s.refusals.get(tool))
  return moving(s, tool, target.replace(article, ''), more)
}

function* moving(s: Situation, tool: string, target: string, more: Record<string, string>): Script {
  const found = yield* find(s, target)
  if (!found) return unknownTarget(s)
  return outcome(s, yield* call(tool, { table: found.table, uid: found.uid, ...more }))
}
