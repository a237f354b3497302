/** Prefix of the partitions that hold the records of what was done with a user's data. */
export const prefix = 'user-data#'

/** What was found of a user: each number counts what was exported, or erased. */
export type Counts = {
  conversations: number
  runs: number
  sessions: number
  files: number
  /** Items of the table, all of the above included. */
  items: number
}

/** Takes what is exported: paths are relative, with slashes. */
export type Sink = {
  /** Whether an earlier export has stored a file of this size there. */
  has(path: string, size: number): Promise<boolean>
  /** Stores all of the file or nothing. */
  write(path: string, content: Uint8Array | string): Promise<void>
}
