/** Prefix of the partitions that hold the records of exports and erasures of a user's data. */
export const prefix = 'user-data#'

/** The counts of a user's data: each number counts the items that were exported, or erased. */
export type Counts = {
  conversations: number
  runs: number
  sessions: number
  files: number
  /** Items of the table, all of the above included. */
  items: number
}

/** Takes the exported files: paths are relative, with slashes. */
export type Sink = {
  /** True if an earlier export has stored a file of this size there. */
  has(path: string, size: number): Promise<boolean>
  /** Stores all of the file or nothing. */
  write(path: string, content: Uint8Array | string): Promise<void>
}
