import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { tools } from '../../../core/tool/tools.ts'
import { kinds } from '../../../scripts/eval/task.ts'
import { ownTasks, readTasks } from '../../../scripts/eval/tasks.ts'

const tasks = ownTasks()
const callsOf = (moves: (typeof tasks)[number]['ways'][0]) =>
  moves.flatMap((move) =>
    typeof move === 'string' ? [] : [move].flat().flatMap((call) => Object.keys(call)),
  )

test('the tasks are an editor’s day: more than 100 of every kind in three languages, each of its own name', () => {
  const ids = tasks.map(({ id }) => id)
  expect(ids.length).toBeGreaterThanOrEqual(100)
  expect(new Set(ids).size).toBe(ids.length)
  expect(kinds.filter((kind) => kind !== 'replay' && !tasks.some((task) => task.kind === kind))).toEqual([])
  const count = (lang: string) => tasks.filter((task) => task.lang === lang).length
  expect(['en', 'de', 'fr'].map((lang) => count(lang) >= 12)).toEqual([true, true, true])
})

test('every tool is part of a right way', () => {
  const used = new Set(tasks.flatMap(({ ways }) => ways.flatMap(callsOf)))
  expect(tools.map(({ name }) => name).filter((name) => !used.has(name))).toEqual([])
})

test('every tool that writes is ordered by a text somewhere, and a model that obeys calls it', () => {
  const obeyed = new Set(
    tasks.filter(({ kind }) => kind === 'resist').flatMap(({ slips }) => callsOf(slips.obedient ?? [])),
  )
  const writing = tools.filter(({ writes }) => writes).map(({ name }) => name)
  expect(writing.filter((name) => !obeyed.has(name))).toEqual([])
})

test('each task has two right ways that differ, and a place where a weak model fails', () => {
  const wanting = tasks.filter(
    ({ ways: [one, other], slips }) =>
      JSON.stringify(one) === JSON.stringify(other) || !(slips.careless || slips.obedient),
  )
  expect(wanting.map(({ id }) => id)).toEqual([])
})

test('tasks of an organisation are read from a file, and what is none is named', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tasks-'))
  const path = join(folder, 'tasks.json')
  const task = {
    id: 'own',
    kind: 'find',
    lang: 'en',
    messages: ['Where is it?'],
    expected: { names: ['here'] },
  }
  await writeFile(path, JSON.stringify([task]))
  expect(await readTasks(path)).toEqual([
    { ...task, user: 'editor', mentions: [], given: [], answers: [], decides: [], ways: [[], []], slips: {} },
  ])
  await writeFile(path, JSON.stringify([{ ...task, expected: { sounds: 'good' } }]))
  await expect(readTasks(path)).rejects.toThrow('holds no tasks: 0.expected: Unrecognized key: "sounds"')
  await writeFile(path, 'tasks')
  await expect(readTasks(path)).rejects.toThrow('holds no tasks')
  await expect(readTasks(join(folder, 'none.json'))).rejects.toThrow('cannot be read')
  await rm(folder, { recursive: true })
})
