import * as z from 'zod'

/**
 * Finds rows in a transcript with branches. An edit begins a new branch at the sequence of the edited message. It
 * changes no row of the old branch. A path lists the branch that holds the rows from each sequence on. The empty path
 * is branch 0 from the beginning.
 */
export const Path = z.array(z.tuple([z.number(), z.number()]))
export type Path = z.infer<typeof Path>

/** A version of a transcript that an edit or a switch left: its path, its number of rows, and its attachments. */
export const Left = z.object({
  path: Path,
  messageCount: z.number(),
  files: z.array(z.tuple([z.number(), z.number()])),
})
export type Left = z.infer<typeof Left>

/** The maximum number of left versions of a conversation, not counting the current version. */
export const maxLeft = 50

/** Returns the branch that holds the row at a sequence. */
export const branchAt = (path: Path, sequence: number): number =>
  path.findLast(([, from]) => from <= sequence)?.[0] ?? 0

/** Returns the path that leaves another path at a sequence, into a new branch. */
export const fork = (path: Path, sequence: number, branch: number): Path => [
  ...before(path, sequence),
  [branch, sequence],
]

/** Returns the rows of a path from one sequence up to another (exclusive), as ordered stretches of one branch each. */
export function stretches(
  path: Path,
  from: number,
  to: number,
): { branch: number; from: number; to: number }[] {
  const starts: Path = path[0]?.[1] === 0 ? path : [[0, 0], ...path]
  return starts.flatMap(([branch, start], at) => {
    const first = Math.max(from, start)
    const end = Math.min(to, starts[at + 1]?.[1] ?? to)
    return first < end ? [{ branch, from: first, to: end }] : []
  })
}

/** Returns the uids of the attachments of all versions of a transcript, each once. */
export const filesOf = ({ files, left }: Pick<Left, 'files'> & { left: readonly Left[] }): number[] => [
  ...new Set([...files, ...left.flatMap((one) => one.files)].map(([, fileUid]) => fileUid)),
]

type Known = { path: Path; messageCount: number }

/** A message with `of` versions; `at` is the number of the current version, counted from 1 in the order of creation. */
export type Version = { sequence: number; at: number; of: number }

/** Returns every message of a transcript that has more than one version. */
export function versionsOf(it: Known & { left: readonly Known[] }): Version[] {
  const starts = new Set([it, ...it.left].flatMap(({ path }) => path.map(([, from]) => from)))
  return [...starts]
    .filter((sequence) => sequence < it.messageCount)
    .sort((a, b) => a - b)
    .flatMap((sequence) => {
      const branches = branchesAt(it, sequence)
      const at = branches.indexOf(branchAt(it.path, sequence)) + 1
      return branches.length > 1 ? [{ sequence, at, of: branches.length }] : []
    })
}

/**
 * Returns the most recently left version of the transcript that has the given version of a message; undefined if there
 * is none.
 */
export function leftWith<L extends Known>(
  it: Known & { left: readonly L[] },
  sequence: number,
  version: number,
): L | undefined {
  const branch = branchesAt(it, sequence)[version - 1]
  return it.left.findLast((one) => agrees(it, one, sequence) && branchAt(one.path, sequence) === branch)
}

function branchesAt(it: Known & { left: readonly Known[] }, sequence: number): number[] {
  const known = [it, ...it.left].filter((one) => agrees(it, one, sequence))
  return [...new Set(known.map(({ path }) => branchAt(path, sequence)))].sort((a, b) => a - b)
}

/** True if two paths have the same rows before a sequence, and the second has a row there. */
const agrees = (it: Known, one: Known, sequence: number): boolean =>
  one.messageCount > sequence && String(before(one.path, sequence)) === String(before(it.path, sequence))

const before = (path: Path, sequence: number): Path => path.filter(([, from]) => from < sequence)
