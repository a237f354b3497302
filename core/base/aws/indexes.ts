/** The three keys-only indexes of the chat table, each named after its purpose. */
export const indexes = {
  /** The conversations of a user, pinned first, then by last change. */
  byUser: { name: 'byUser', pk: 'user_pk', sk: 'user_sk' },
  /** Busy conversations by last sign of life. */
  byProgress: { name: 'byProgress', pk: 'busy_pk', sk: 'busy_sk' },
  /** Conversations, files and runs in a waiting state, by the time when that state began. */
  byState: { name: 'byState', pk: 'state_pk', sk: 'state_sk' },
} as const

/** The TTL attribute of DynamoDB: the time when an item expires, in seconds since the epoch. */
export const expiryAttribute = 'expires_at'

/**
 * The prefix of every partition of the audit. No role may update or delete its rows; IAM cannot forbid a put that
 * replaces a row.
 */
export const auditPrefix = 'audit#'

/** Prefix of the partitions that hold the records of exports and erasures of a user's data. */
export const userDataPrefix = 'user-data#'
