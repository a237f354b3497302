import * as z from 'zod'
import { parsedJson } from '../../core/base/json.ts'
import { readNamed, UsageError } from '../command.ts'
import { Task } from './task.ts'
import anywhere from './tasks/anywhere.json' with { type: 'json' }
import changes from './tasks/changes.json' with { type: 'json' }
import limits from './tasks/limits.json' with { type: 'json' }
import questions from './tasks/questions.json' with { type: 'json' }
import texts from './tasks/texts.json' with { type: 'json' }
import type { Visit } from './visit.ts'

/** Returns all tasks on the seeded site. */
export function ownTasks(): Task[] {
  return z.array(Task).parse([...questions, ...changes, ...texts, ...limits])
}

/** Returns the tasks that create their own records, so that they work in any CMS. */
export const tasksAnywhere = (): Task[] => z.array(Task).parse(anywhere)

/** Returns the tasks of a file. Throws UsageError if it contains no valid tasks. */
export async function readTasks(path: string): Promise<Task[]> {
  const text = await readNamed(path)
  const { data, error } = z.array(Task).min(1).safeParse(parsedJson(text))
  if (data) return data
  const { path: at = [], message } = error.issues[0] ?? { message: 'no tasks' }
  throw new UsageError(`${path} holds no tasks: ${at.join('.') || 'the file'}: ${message}. See docs/eval.md.`)
}

type Asked = { tasks?: string | undefined; visit?: Visit; tell(line: string): void }

/** Returns the tasks of a run; on a visit only those that are possible in that CMS. */
export async function tasksFor({ tasks: path, visit, tell }: Asked): Promise<Task[]> {
  const known = visit ? tasksAnywhere : ownTasks
  const all = path ? await readTasks(path) : known()
  if (!visit) {
    const made = all.find(({ records }) => records.length > 0)
    if (made) throw new UsageError(`The task ${made.id} makes records of its own: run it with --cms.`)
    return all
  }
  const { possible, impossible } = visit.sortTasks(all)
  if (possible.length === 0) throw new UsageError('None of the tasks can be done in this CMS.')
  if (impossible.length > 0)
    tell(`Left out, since they need what is not in this CMS: ${impossible.map(({ id }) => id).join(', ')}.`)
  return possible
}
