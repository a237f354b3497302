/** The conversations of the list that the user has ticked, to do the same to all of them. */
export class Selected {
  /** In the order in which they were ticked. */
  ids: ReadonlySet<string>
  /** What was not done of the last act, and why, in a sentence; empty: nothing was left. */
  left: string
  isActing = false

  constructor(ids: Iterable<string> = [], left = '') {
    this.ids = new Set(ids)
    this.left = left
  }
}
