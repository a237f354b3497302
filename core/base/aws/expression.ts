import type { Condition, Key, Row, Write } from './table.ts'

/** The changes of an update, and its condition. It removes attributes that are undefined or null. */
export type Assignment = Condition & {
  set: Row
  /** Numbers to add to numbers, and members to add to sets. */
  add?: Row
  /** Members to remove from sets. */
  take?: Row
}

type Update = NonNullable<Write['Update']>

/** An update of exactly these attributes; all names are placeholders. */
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
