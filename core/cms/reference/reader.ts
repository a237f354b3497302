import * as Table from '../../base/aws/table.ts'

/** Items of one table by key. */
export type Reader = (key: Table.Key) => Promise<Table.Row | undefined>

/** Most keys in one request. */
const atOnce = 100

/** Reads items of the table, strongly; those that are asked for in the same moment in one request. */
export function reader(store: string): Reader {
  let asked: { key: Table.Key; done: (rows: Promise<Table.Row | undefined>) => void }[] = []
  const read = () => {
    const now = asked
    asked = []
    for (let at = 0; at < now.length; at += atOnce) {
      const some = now.slice(at, at + atOnce)
      const rows = Table.batch(some.map(({ key }) => ({ table: store, key })))
      for (const [nth, { done }] of some.entries()) done(rows.then((found) => found[nth]))
    }
  }
  return (key) =>
    new Promise((done) => {
      if (asked.length === 0) setImmediate(read)
      asked.push({ key, done })
    })
}
