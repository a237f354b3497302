import { BaseSequencer, type TestSpecification } from 'vitest/node'

/** Files that take long although they are short: their tests kill processes, play whole tasks or start a CMS. */
const long = /\/(?:chaos|faults|scripts\/(?:eval|connect|cost)|packages\/\w+\/test)\//

/**
 * Starts the long files first. Without durations of an earlier run, vitest starts the largest files of a project first,
 * and the long ones would run alone at the end.
 */
export class LongFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isLong = ({ moduleId }: TestSpecification) => long.test(moduleId)
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))]
  }
}
