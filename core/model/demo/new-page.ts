import type { RecordId } from '../../conversation/schema.ts'
import { outcome } from './change.ts'
import type { Rule } from './proposed.ts'
import { call, type Script } from './script.ts'
import type { Situation } from './situation.ts'
import { named, say, withoutTool } from './speech.ts'
import type { Part } from './target.ts'

/** Creates a page if the user gives neither name nor place: the script asks for both and proposes the page. */

const words =
  /^(?:please |bitte )?(?:create|add|make|erstelle|erzeuge|lege) (?:mir )?(?:an? |eine )?(?:new |neue )?(?:page|seite)(?: an)?[.!]?$/i

/** The rule for a new page without a name. */
export const newPage: Rule = (s) => {
  if (!words.test(s.question.trim())) return undefined
  const missing = ['ask_user', 'create_page_draft'].find((tool) => !s.tools.includes(tool))
  return missing ? withoutTool(s.lang, s.refusals.get(missing)) : asking(s)
}

/** The page at the top of the site. */
const top = 1

function* asking(s: Situation): Script {
  const parent = yield* place(s)
  const title = yield* answerTo({
    question: s.say`What is the page called?`,
  })
  if (!title) return s.say`Without a name I propose no page.`
  return outcome(s, yield* call('create_page_draft', { parent, title }))
}

/** Asks the user for the place: below the open page or at the top. */
function* place({ lang, page }: Situation): Part<RecordId> {
  if (!page || page.uid === top) return top
  const below = say(lang)`Below ${named(lang, page.title)}`
  const answer = yield* answerTo({
    question: say(lang)`Where does the new page go?`,
    choices: [below, say(lang)`At the top of the site`],
    freeText: false,
  })
  return answer === below ? page.uid : top
}

/** The user's answer; empty if they skip the question. */
function* answerTo(question: Record<string, unknown>): Part<string> {
  const { text } = yield* call('ask_user', question)
  return /^The user answers: ([\s\S]*)$/.exec(text)?.[1]?.trim() ?? ''
}
