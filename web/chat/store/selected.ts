/** The conversations of the list that the user has ticked, to do the same to all of them. */
export class Selected {
  /** In the order in which they were ticked. */
  ids: ReadonlySet<string>
  /** The failures of the last act with their reasons, in a sentence; empty if there are none. */
  left: string
  isActing = false

  constructor(ids: Iterable<string> = [], left = '') {
    this.ids = new Set(ids)
    this.left = left
  }
}
