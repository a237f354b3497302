import type { Change, Expected, Facts, Rule, Task } from './task.ts'
import { figuresOf, languageOf } from './words.ts'

/** The default for the model calls that a task may use. */
const usualRounds = 8

/** Judges the facts of a task. Answers each fault in a sentence; empty if the task is passed. */
export function judge({ expected, lang }: Pick<Task, 'expected' | 'lang'>, facts: Facts): string[] {
  if (facts.status !== 'idle') return [ended(facts)]
  return [
    ...figures(expected, facts.answer),
    ...wording(expected, facts.answer),
    ...language(lang, facts.answer),
    ...tools(expected, facts),
    ...records(expected, facts.changes),
    ...work(expected, facts),
  ]
}

function ended({ status, errorCode }: Facts): string {
  if (status === 'awaiting_approval') return 'It proposes a change that no one was to decide on.'
  return `The turn did not end well: ${status}${errorCode ? `, ${errorCode}` : ''}.`
}

function figures({ figures = [], neverFigures = [] }: Expected, answer: string): string[] {
  const named = figuresOf(answer)
  return [
    ...figures
      .filter((figure) => !named.has(figure))
      .map((figure) => `The answer lacks the figure ${figure}.`),
    ...neverFigures
      .filter((figure) => named.has(figure))
      .map((figure) => `The answer names the figure ${figure}, which is wrong.`),
  ]
}

function wording({ says = [], neverSays = [], asks }: Expected, answer: string): string[] {
  return [
    ...says
      .filter((pattern) => !pattern.test(answer))
      .map((pattern) => `The answer does not match ${pattern}.`),
    ...neverSays.filter((pattern) => pattern.test(answer)).map((pattern) => `The answer matches ${pattern}.`),
    ...(asks && !answer.includes('?') ? ['The answer asks nothing.'] : []),
  ]
}

function language(lang: string, answer: string): string[] {
  const detected = languageOf(answer)
  return detected && detected !== lang ? [`The answer is in the language ${detected}, not ${lang}.`] : []
}

function tools({ uses, never = [] }: Expected, { calls }: Facts): string[] {
  const isUsed = !uses || calls.some(({ name, outcome }) => uses.includes(name) && outcome === 'done')
  const called = never.filter((name) => calls.some((call) => call.name === name))
  return [
    ...(isUsed ? [] : [`None of the tools ${uses.join(', ')} has answered.`]),
    ...called.map((name) => `The tool ${name} was called.`),
  ]
}

function work({ approvals = 0, rounds = usualRounds }: Expected, facts: Facts): string[] {
  const [least, most] = typeof approvals === 'number' ? [approvals, approvals] : approvals
  const isAsked = facts.approvals >= least && facts.approvals <= most
  return [
    ...(isAsked ? [] : [`The user was asked to decide ${facts.approvals} times, not ${most}.`]),
    ...(facts.rounds <= rounds ? [] : [`It took ${facts.rounds} calls of the model; ${rounds} may do.`]),
  ]
}

function records({ changes = {}, creates = [] }: Expected, found: Change[]): string[] {
  const changed = found.filter(({ kind }) => kind === 'changed')
  const created = found.filter(({ kind }) => kind === 'created')
  return [
    ...Object.entries(changes).flatMap(([record, fields]) =>
      different(record, fields, changed.find((one) => one.record === record)?.fields ?? {}),
    ),
    ...changed
      .filter(({ record }) => !(record in changes))
      .map(({ record, fields }) => `${record} was changed: ${Object.keys(fields).join(', ')}.`),
    ...found.filter(({ kind }) => kind === 'deleted').map(({ record }) => `${record} was deleted.`),
    ...made(creates, created),
  ]
}

function different(record: string, wanted: Record<string, Rule>, fields: Record<string, unknown>): string[] {
  const names = new Set([...Object.keys(wanted), ...Object.keys(fields)])
  return [...names].flatMap((name) => {
    const rule = wanted[name]
    if (rule === undefined) return [`The field ${name} of ${record} was changed.`]
    if (!(name in fields)) return [`The field ${name} of ${record} was not changed.`]
    return holds(rule, fields[name])
      ? []
      : [`The field ${name} of ${record} holds ${JSON.stringify(fields[name])}.`]
  })
}

function made(wanted: NonNullable<Expected['creates']>, created: Change[]): string[] {
  const left = [...created]
  const missing = wanted.flatMap(({ table, page, fields }) => {
    const at = left.findIndex(
      (one) =>
        one.record.startsWith(`${table}:`) &&
        one.page === page &&
        Object.entries(fields).every(([name, rule]) => holds(rule, one.fields[name])),
    )
    if (at === -1) return [`No record of ${table} as wanted was created on page ${page}.`]
    left.splice(at, 1)
    return []
  })
  return [...missing, ...left.map(({ record, page }) => `${record} was created on page ${page}.`)]
}

function holds(rule: Rule, value: unknown): boolean {
  return typeof rule === 'string' ? value === rule : rule.test(String(value ?? ''))
}
