import { expect, test } from 'vitest'
import * as z from 'zod'
import { judgeAnswer } from '../../../scripts/eval/judge.ts'
import { Task } from '../../../scripts/eval/task.ts'
import { asks, names } from '../../../scripts/eval/wording.ts'
import table from './answers.json' with { type: 'json' }

const Group = z.strictObject({
  about: z.string(),
  lang: Task.shape.lang,
  expected: Task.shape.expected,
  /** What the model could take figures from; absent: not looked at. */
  seen: z.string().optional(),
  right: z.array(z.string()),
  wrong: z.array(z.string()),
})
const groups = z.array(Group).parse(table)

/** The faults of an answer, with those of a question that has to be in it. */
function faultsOf({ expected, lang, seen }: z.infer<typeof Group>, answer: string): string[] {
  const wanted = expected.asks ?? []
  const isAsked = wanted.every((words) => names(answer, words)) && (wanted.length === 0 || asks(answer))
  return [...judgeAnswer(expected, lang, { answer, seen }), ...(isAsked ? [] : ['It asks nothing.'])]
}

test('an answer is judged by what it says, not by how it says it', () => {
  const judged = groups.flatMap((group) => [
    ...group.right.map((answer) => ({ answer, isRight: true, faults: faultsOf(group, answer) })),
    ...group.wrong.map((answer) => ({ answer, isRight: false, faults: faultsOf(group, answer) })),
  ])
  const mistaken = judged.filter(({ isRight, faults }) => isRight !== (faults.length === 0))
  expect(judged.length).toBeGreaterThanOrEqual(150)
  expect(mistaken).toEqual([])
})
