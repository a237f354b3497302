import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { extensionOf } from '../../../core/file/format.ts'
import { tools } from '../../../core/tool/tools.ts'
import { kinds, type Task } from '../../../scripts/eval/task.ts'
import { ownTasks, readTasks, tasksAnywhere } from '../../../scripts/eval/tasks.ts'
import { languages } from '../../../scripts/eval/wording.ts'

const tasks = ownTasks()
const callsOf = (moves: (typeof tasks)[number]['ways'][0]) =>
  moves.flatMap((move) =>
    typeof move === 'string' ? [] : [move].flat().flatMap((call) => Object.keys(call)),
  )

test('the tasks are an editor’s day: more than 100 of every kind in three languages, each of its own name', () => {
  const ids = tasks.map(({ id }) => id)
  expect(ids.length).toBeGreaterThanOrEqual(100)
  expect(new Set(ids).size).toBe(ids.length)
  const missing = kinds.flatMap((kind) =>
    languages
      .filter((lang) => !tasks.some((task) => task.kind === kind && task.lang === lang))
      .map((lang) => `${kind} in ${lang}`),
  )
  expect(missing.filter((words) => !words.startsWith('replay'))).toEqual([])
})

test('the user attaches files of each kind, talks for long, answers, approves one of two, and runs out of steps and tokens', () => {
  const files = new Set(tasks.flatMap(({ file }) => (file ? [extensionOf(file.name)] : [])))
  expect([...files].sort()).toEqual(['csv', 'docx', 'eml', 'odt', 'pdf', 'png', 'pptx', 'txt', 'xlsx'])
  const has = (of: (task: Task) => unknown) => tasks.some((task) => Boolean(of(task)))
  expect({
    long: has(({ messages }) => messages.length > 4),
    answers: has(({ answers }) => answers.length > 0),
    approvesOne: has(({ decides }) => decides.some((decision) => typeof decision === 'object')),
    steps: has(({ stage }) => stage?.maxRounds),
    tokens: has(({ stage }) => stage?.tokens),
    style: has(({ stage }) => stage?.houseStyle),
    drafts: has(({ stage }) => stage?.drafts),
    mentions: has(({ mentions }) => mentions.length > 0),
  }).toEqual({
    long: true,
    answers: true,
    approvesOne: true,
    steps: true,
    tokens: true,
    style: true,
    drafts: true,
    mentions: true,
  })
})

test('tasks for any CMS name no record of the seeded site, and each has two right ways', () => {
  const anywhere = tasksAnywhere()
  const ids = anywhere.map(({ id }) => id)
  expect(ids.filter((id) => tasks.some((task) => task.id === id))).toEqual([])
  expect(languages.filter((lang) => !anywhere.some((task) => task.lang === lang))).toEqual([])
  expect(JSON.stringify(anywhere)).not.toMatch(/"(?:uid|page|parent)":\d|"table":"[^{]/)
  const same = anywhere.filter(({ ways: [one, other] }) => JSON.stringify(one) === JSON.stringify(other))
  expect(same.map(({ id }) => id)).toEqual([])
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
    {
      ...task,
      user: 'editor',
      mentions: [],
      given: [],
      records: [],
      needs: [],
      answers: [],
      decides: [],
      ways: [[], []],
      slips: {},
    },
  ])
  await writeFile(path, JSON.stringify([{ ...task, expected: { sounds: 'good' } }]))
  await expect(readTasks(path)).rejects.toThrow('holds no tasks: 0.expected: Unrecognized key: "sounds"')
  await writeFile(path, 'tasks')
  await expect(readTasks(path)).rejects.toThrow('holds no tasks')
  await expect(readTasks(join(folder, 'none.json'))).rejects.toThrow('cannot be read')
  await rm(folder, { recursive: true })
})
