import { expect, test } from 'vitest'
import { hash } from '../../../core/base/hash.ts'
import type { Model } from '../../../core/model/model.ts'
import { scriptedFor } from '../../../scripts/eval/scripted.ts'
import { run } from '../../../scripts/eval/series.ts'
import { sitesFor } from '../../../scripts/eval/site.ts'
import { scriptedSubject } from '../../../scripts/eval/subject.ts'
import type { Task } from '../../../scripts/eval/task.ts'
import { ownTasks } from '../../../scripts/eval/tasks.ts'
import { settings } from '../../support/settings.ts'

/** Figures that a model invents beside its right answer, different for each task. */
function inventedFor({
  id,
  lang,
}: Task): Record<'price' | 'share' | 'time' | 'size' | 'number' | 'day', string> {
  const seed = Number.parseInt(hash(id).slice(0, 8), 16)
  const between = (least: number, most: number, nth: number) =>
    least + (Math.floor(seed / nth) % (most - least))
  const month = { en: 'March', de: 'März', fr: 'mars' }[lang]
  const day = between(3, 28, 3)
  return {
    price: String(between(20, 2_000, 1)),
    share: String(between(2, 99, 7)),
    time: String(between(9, 90, 11)),
    size: String(between(20, 300, 13)),
    number: String(between(150, 9_000, 17)),
    day:
      lang === 'en'
        ? `${day} ${month} 2019`
        : lang === 'de'
          ? `${day}. ${month} 2019`
          : `${day} ${month} 2019`,
  }
}

const words = {
  en: ({ price, share, time, size, number, day }: ReturnType<typeof inventedFor>) =>
    `It costs ${price} EUR, ${share} % of all take it within ${time} days, it is ${size} cm wide, ${number} people bought it, on ${day} the last one.`,
  de: ({ price, share, time, size, number, day }: ReturnType<typeof inventedFor>) =>
    `Es kostet ${price} EUR, ${share} % nehmen es in ${time} Tagen, es ist ${size} cm breit, ${number} Menschen kauften es, am ${day} zuletzt.`,
  fr: ({ price, share, time, size, number, day }: ReturnType<typeof inventedFor>) =>
    `Cela coûte ${price} EUR, ${share} % le prennent en ${time} jours, large de ${size} cm, ${number} personnes l’ont acheté, le ${day} en dernier.`,
}

/** A model that goes the right way and ends each answer with invented figures. */
function inventing(task: Task): Model {
  const model = scriptedFor(task, 'natural')
  return {
    ...model,
    ask: async (request, signal) => {
      const answer = await model.ask(request, signal)
      if (answer.calls.length > 0) return answer
      return { ...answer, text: `${answer.text}\n\n${words[task.lang](inventedFor(task))}` }
    },
  }
}

test('of figures that a model invents beside right ones most are marked, and none of the right ones', async () => {
  const tasks = ownTasks().filter((_, at) => at % 3 === 0)
  const subject = scriptedSubject(settings(), 'natural', tasks)
  const asked = new Map(tasks.map((task) => [task.id, task]))
  const found: Record<string, [marked: number, of: number]> = {}
  const wrong: string[] = []
  await run(
    { ...subject, model: async (task) => inventing(asked.get(task?.id ?? '') ?? (task as Task)) },
    tasks,
    {
      repeats: 1,
      sites: sitesFor(2),
      known: [],
      opinion: undefined,
      tell: ({ task: id, marks = [] }) => {
        const planted = inventedFor(asked.get(id) as Task)
        for (const [kind, figure] of Object.entries(planted)) {
          const [marked, of] = found[kind] ?? [0, 0]
          found[kind] = [marked + (marks.includes(figure) ? 1 : 0), of + 1]
        }
        wrong.push(
          ...marks.filter((mark) => !Object.values(planted).includes(mark)).map((mark) => `${id}: ${mark}`),
        )
      },
    },
  )
  const shareOf = (kinds: string[]) => {
    const [marked, of] = kinds.reduce(
      ([marked, of], kind) => [marked + (found[kind]?.[0] ?? 0), of + (found[kind]?.[1] ?? 0)],
      [0, 0],
    )
    return marked / of
  }
  expect(shareOf(['price', 'day'])).toBeGreaterThan(0.9)
  expect(shareOf(['number', 'size'])).toBeGreaterThan(0.75)
  // Small numbers stand in much of what a model reads.
  expect(shareOf(Object.keys(found))).toBeGreaterThan(0.7)
  expect(wrong).toEqual([])
})
