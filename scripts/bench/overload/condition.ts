import { isDeepStrictEqual } from 'node:util'
import type { Row } from '../../../core/base/aws/table.ts'

/** Conditions and updates of DynamoDB, as far as the service writes them, over a row in memory. */

type Given = { names: Record<string, string>; values: Row }
type Test = (row: Row, given: Given) => unknown

const parsedConditions = new Map<string, Test>()

/** True if a condition holds for a row. */
export function holds(condition: string | undefined, row: Row, given: Given): boolean {
  if (!condition) return true
  const known = parsedConditions.get(condition) ?? parseCondition(condition)
  parsedConditions.set(condition, known)
  return Boolean(known(row, given))
}

const token = /\s*(<=|>=|<>|[()=<>,]|[#:\w.]+)/gy

function parseCondition(text: string): Test {
  const tokens = [...text.matchAll(token)].map(([, one]) => one as string)
  let at = 0
  const take = () => tokens[at++] as string
  const either = chain(
    'OR',
    () => chain('AND', unary, (one, other) => one && other)(),
    (one, other) => one || other,
  )
  const whole = either()
  if (at < tokens.length) throw new Error(`The condition cannot be read: ${text}`)
  return whole

  function chain(
    word: string,
    part: () => Test,
    join: (one: unknown, other: unknown) => unknown,
  ): () => Test {
    return () => {
      let test = part()
      while (tokens[at] === word) {
        at++
        const [left, right] = [test, part()]
        test = (row, given) => join(left(row, given), right(row, given))
      }
      return test
    }
  }

  function unary(): Test {
    if (tokens[at] === 'NOT') {
      at++
      const test = unary()
      return (row, given) => !test(row, given)
    }
    if (tokens[at] === '(') {
      at++
      const test = either()
      take()
      return test
    }
    const left = operand()
    const compare = comparisons[tokens[at] ?? '']
    if (!compare) return left
    at++
    const right = operand()
    return (row, given) => compare(left(row, given) as number, right(row, given) as number)
  }

  function operand(): Test {
    const name = take()
    if (tokens[at] !== '(') return named(name)
    at++
    const args: Test[] = []
    while (tokens[at] !== ')') {
      if (tokens[at] === ',') at++
      args.push(operand())
    }
    at++
    const act = functions[name]
    if (!act) throw new Error(`The function is not known: ${name}`)
    return (row, given) => act(...args.map((arg) => arg(row, given)))
  }
}

const comparisons: Record<string, (one: number, other: number) => boolean> = {
  '=': (one, other) => isDeepStrictEqual(one, other),
  '<>': (one, other) => one !== other,
  '<': (one, other) => one < other,
  '<=': (one, other) => one <= other,
  '>': (one, other) => one > other,
  '>=': (one, other) => one >= other,
}

const functions: Record<string, (...args: unknown[]) => unknown> = {
  attribute_exists: (value) => value !== undefined,
  attribute_not_exists: (value) => value === undefined,
  attribute_type: (value, type) => {
    const plain = typeof value === 'number' ? 'N' : 'S'
    return type === (value instanceof Set ? 'SS' : plain)
  },
  size: (value) => (value as Set<unknown>).size,
  contains: (value, member) => value instanceof Set && value.has(member),
}

function named(name: string): Test {
  if (name.startsWith(':')) return (_, { values }) => values[name]
  const path = name.split('.')
  return (row, { names }) =>
    path.reduce<unknown>((value, part) => (value as Row | undefined)?.[names[part] ?? part], row)
}

/** The row after an update expression. */
export function updated(expression: string, row: Row, { names, values }: Given): Row {
  const next = { ...row }
  for (const [, verb, list] of expression.matchAll(
    /(SET|REMOVE|ADD|DELETE) (.+?)(?= (?:SET|REMOVE|ADD|DELETE) |$)/g,
  ))
    for (const clause of (list as string).split(', ')) {
      const [path = '', ...rest] = clause.split(' ')
      const name = names[path] ?? path
      const value = values[rest.at(-1) ?? '']
      const old = next[name]
      if (verb === 'SET') next[name] = value
      if (verb === 'REMOVE') delete next[name]
      if (verb === 'ADD')
        next[name] =
          value instanceof Set
            ? new Set([...((old as Set<unknown>) ?? []), ...value])
            : ((old as number) ?? 0) + (value as number)
      if (verb === 'DELETE')
        next[name] = new Set(
          [...((old as Set<unknown>) ?? [])].filter((one) => !(value as Set<unknown>).has(one)),
        )
    }
  return next
}
