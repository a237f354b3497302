import { readFile } from 'node:fs/promises'
import * as z from 'zod'
import { Mistake } from './mistake.ts'
import { Task } from './task.ts'
import changes from './tasks/changes.json' with { type: 'json' }
import limits from './tasks/limits.json' with { type: 'json' }
import questions from './tasks/questions.json' with { type: 'json' }
import texts from './tasks/texts.json' with { type: 'json' }

/** All tasks on the seeded site. */
export function ownTasks(): Task[] {
  return z.array(Task).parse([...questions, ...changes, ...texts, ...limits])
}

/** The tasks of a file. Throws in a sentence where it holds none, or something else. */
export async function readTasks(path: string): Promise<Task[]> {
  const text = await readFile(path, 'utf8').catch((error: Error) => {
    throw new Mistake(`${path} cannot be read: ${error.message}`)
  })
  const { data, error } = z.array(Task).min(1).safeParse(parsed(text))
  if (data) return data
  const { path: at = [], message } = error.issues[0] ?? { message: 'no tasks' }
  throw new Mistake(`${path} holds no tasks: ${at.join('.') || 'the file'}: ${message}. See docs/eval.md.`)
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    // Not JSON: the same as JSON of another shape.
    return undefined
  }
}
