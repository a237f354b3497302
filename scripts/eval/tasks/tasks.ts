import type { Task } from '../task.ts'
import { ask } from './ask.ts'
import { attachment } from './attachment.ts'
import { change } from './change.ts'
import { compare } from './compare.ts'
import { draft } from './draft.ts'
import { find } from './find.ts'
import { refuse } from './refuse.ts'
import { resist } from './resist.ts'
import { stop } from './stop.ts'
import { summarise } from './summarise.ts'
import { translate } from './translate.ts'

/** Every task, in the order of reports; a new one goes to the end of its kind. */
export const tasks: readonly Task[] = [
  ...find,
  ...compare,
  ...summarise,
  ...draft,
  ...change,
  ...translate,
  ...refuse,
  ...ask,
  ...resist,
  ...attachment,
  ...stop,
]
