import * as Table from '../../core/base/aws/table.ts'
import type { Done, WantedRun } from '../../scripts/eval/evaluate.ts'

/** The options of a run that writes its reports into `out`, without a key and without anything taken over. */
export const wantedIn = (out: string, over: Partial<WantedRun> = {}): WantedRun => ({
  choice: {},
  only: [],
  since: 0,
  repeats: 1,
  parallel: 2,
  out,
  baseline: undefined,
  replay: [],
  consent: undefined,
  tell: () => undefined,
  ...over,
})

/** Every fault of the runs, with its task. */
export const faultsIn = (...done: Done[]): string[] =>
  done.flatMap(({ report }) =>
    report.tasks.flatMap(({ id, attempts }) =>
      attempts.flatMap(({ faults }) => faults.map((fault) => `${id}: ${fault}`)),
    ),
  )

/** The tasks that a run has passed at least once. */
export const passedIn = ({ report }: Done): string[] =>
  report.tasks.filter(({ figures }) => figures.passed > 0).map(({ id }) => id)

/** The records of a seeded site that are in no bin, as its table has them. */
export async function standingIn(table: string): Promise<Record<string, unknown>[]> {
  const items: Record<string, unknown>[] = []
  for await (const rows of Table.pages({ TableName: table })) items.push(...rows)
  const isRecord = ({ pk, deleted }: Record<string, unknown>) =>
    /^table#(?:pages|content|news|media)$/.test(String(pk)) && !deleted
  return items.filter(isRecord).sort((one, other) => nameOf(one).localeCompare(nameOf(other)))
}
const nameOf = ({ pk, sk }: Record<string, unknown>) => `${pk} ${sk}`
