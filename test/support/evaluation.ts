import type { Done, Wanted } from '../../scripts/eval/evaluate.ts'

/** The options of a run that writes its reports into `out`, without a key and without anything taken over. */
export const wantedIn = (out: string, over: Partial<Wanted> = {}): Wanted => ({
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
