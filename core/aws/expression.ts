import type { Condition, Key, Row, Write } from './table.ts'

/** What an update sets, and under which condition. Attributes that are undefined or null are removed. */
export type Assignment = Condition & {
  set: Row
  /** Numbers to add, sets to add to. */
  add?: Row
  /** Members to take out of sets. */
  take?: Row
}

type Update = NonNullable<Write['Update']>

/** An update that names exactly the attributes that it changes; all names go through placeholders. */
export function assign(table: string, key: Key, assignment: Assignment): Update {
  const names: Record<string, string> = { ...assignment.names }
  const values: Row = { ...assignment.values }
  const name = (attribute: string) => {
    names[`#${attribute}`] = attribute
    return `#${attribute}`
  }
  const value = (attribute: string, given: unknown) => {
    values[`:set_${attribute}`] = given
    return `:set_${attribute}`
  }
  const clause = (row: Row | undefined, join: string) =>
    Object.entries(row ?? {}).map(([at, given]) => `${name(at)}${join}${value(at, given)}`)

  const kept = Object.entries(assignment.set).filter(([, given]) => given !== undefined && given !== null)
  const gone = Object.entries(assignment.set).filter(([, given]) => given === undefined || given === null)
  const parts = [
    ['SET', clause(Object.fromEntries(kept), ' = ')],
    ['REMOVE', gone.map(([at]) => name(at))],
    ['ADD', clause(assignment.add, ' ')],
    ['DELETE', clause(assignment.take, ' ')],
  ] as const
  return {
    TableName: table,
    Key: key,
    UpdateExpression: parts
      .filter(([, list]) => list.length > 0)
      .map(([verb, list]) => `${verb} ${list.join(', ')}`)
      .join(' '),
    ...(assignment.condition && { ConditionExpression: assignment.condition }),
    ...(Object.keys(names).length > 0 && { ExpressionAttributeNames: names }),
    ...(Object.keys(values).length > 0 && { ExpressionAttributeValues: values }),
  }
}
