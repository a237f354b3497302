import type { TreePage } from '../../core/cms/schema.ts'
import type { RecordId } from '../../core/conversation/schema.ts'

/** Builds and filters the page tree and handles its keys, with pure functions that draw nothing. */

export type Branch = { page: TreePage; children: Branch[] }

/** Returns the pages as a tree. A page whose parent the user may not see is at the top level. */
export function branches(pages: TreePage[]): Branch[] {
  const byUid = new Map(pages.map((page) => [page.uid, { page, children: [] as Branch[] }]))
  const top: Branch[] = []
  for (const branch of byUid.values()) (byUid.get(branch.page.parent)?.children ?? top).push(branch)
  return top
}

/** Returns the branches whose title or uid matches, together with their ancestors. */
export function filtered(all: Branch[], text: string): Branch[] {
  const wanted = text.trim().toLocaleLowerCase()
  if (!wanted) return all
  return all.flatMap((branch) => {
    const children = filtered(branch.children, text)
    const { title, uid } = branch.page
    const matches = title.toLocaleLowerCase().includes(wanted) || String(uid) === wanted
    return matches || children.length > 0 ? [{ ...branch, children }] : []
  })
}

/** Returns the uids of a page's ancestors, the nearest first. */
export function above(pages: TreePage[], uid: RecordId): RecordId[] {
  const parents = new Map(pages.map((page) => [page.uid, page.parent]))
  const found: RecordId[] = []
  let at = parents.get(uid)
  while (at !== undefined && parents.has(at) && !found.includes(at)) {
    found.push(at)
    at = parents.get(at)
  }
  return found
}

/** A visible branch with its level and its position among its siblings, both from 1. */
export type Row = Branch & {
  isOpen: boolean
  parent: RecordId | null
  level: number
  position: number
  siblings: number
}

/** Returns the visible branches from top to bottom; `isOpen` tells which branches are open. */
export function visible(
  all: Branch[],
  isOpen: (uid: RecordId) => boolean,
  parent: RecordId | null = null,
  level = 1,
): Row[] {
  return all.flatMap((branch, at) => {
    const { uid } = branch.page
    const row = { ...branch, isOpen: isOpen(uid), parent, level, position: at + 1, siblings: all.length }
    return [row, ...(row.isOpen ? visible(branch.children, isOpen, uid, level + 1) : [])]
  })
}

export type Move = { focus: RecordId } | { open: RecordId } | { close: RecordId } | undefined

/** Returns the effect of a key on the tree, by the WAI-ARIA tree pattern; undefined without an effect. */
export function move(rows: Row[], focused: RecordId, key: string): Move {
  const at = rows.findIndex(({ page }) => page.uid === focused)
  const row = rows[at]
  if (!row) return undefined
  const hasChildren = row.children.length > 0
  switch (key) {
    case 'ArrowDown':
      return focus(rows[at + 1])
    case 'ArrowUp':
      return focus(rows[at - 1])
    case 'Home':
      return focus(rows[0])
    case 'End':
      return focus(rows.at(-1))
    case 'forward':
      if (!hasChildren) return undefined
      return row.isOpen ? focus(rows[at + 1]) : { open: focused }
    case 'backward':
      if (hasChildren && row.isOpen) return { close: focused }
      return row.parent === null ? undefined : { focus: row.parent }
    default:
      return focus(startingWith(rows, at, key))
  }
}

function startingWith(rows: Row[], at: number, key: string): Row | undefined {
  if ([...key].length !== 1 || key === ' ') return undefined
  const later = [...rows.slice(at + 1), ...rows.slice(0, at + 1)]
  return later.find(({ page }) => page.title.toLocaleLowerCase().startsWith(key.toLocaleLowerCase()))
}

function focus(row: Row | undefined): Move {
  return row && { focus: row.page.uid }
}
