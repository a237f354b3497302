/** The kinds of put, as `writes` of the capabilities lists them. */
const putKinds = [
  /** New records, always as drafts or hidden. */
  'create',
  /** Another state of `states`. */
  'state',
  /** A period in which visitors see the record, with the state that schedules it. */
  'times',
  /** Another page, or another position in the order. */
  'place',
  /** Moving to the bin, and restoring from it. */
  'bin',
  /** The removal of a record that a run created. */
  'remove',
  /** Earlier content, which a put writes like new values; `record` returns the earlier revisions. */
  'restore',
] as const
type PutKind = (typeof putKinds)[number]

/** Returns the value for each kind of put. */
export const everyKind = <Value>(value: Value): Record<PutKind, Value> =>
  Object.fromEntries(putKinds.map((kind) => [kind, value])) as Record<PutKind, Value>

/** True if the record can be read before a put; the CMS reads none in the bin. */
export const isReadable = ({ bin }: { bin?: boolean }): boolean => bin !== false
/** True if a put shows or hides the record as a whole. */
export const showsOrHides = ({ state, bin }: { state?: unknown; bin?: boolean }): boolean =>
  state !== undefined || bin !== undefined
