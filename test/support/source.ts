import { readdirSync } from 'node:fs'
import { join, relative } from 'node:path'

/** Folders that hold code of others, or nothing that is written by hand. */
const foreign = /(^|\/)(node_modules|peers|fixtures|\.sst)(\/|$)/

/** The files with an ending below the folders, TypeScript where none is given, as paths from the root, sorted. */
export function files(root: string, folders: string[], ending = '.ts'): string[] {
  return folders
    .flatMap((folder) => readdirSync(join(root, folder), { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile() && entry.name.endsWith(ending))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
    .filter((path) => !foreign.test(path))
    .sort()
}

/** What a file imports, dynamically too; `isType`: nothing of it is left when types are stripped. */
export function imports(text: string): { path: string; isType: boolean }[] {
  const statements = [...text.matchAll(/^(?:import|export) (type )?([^'"=;]*? from )?'([^']+)'/gm)].map(
    ([, type, names = '', path]) => ({ path: String(path), isType: Boolean(type) || allTypes(names) }),
  )
  const dynamic = [...text.matchAll(/\bimport\('([^']+)'\)/g)].map(([, path]) => ({
    path: String(path),
    isType: false,
  }))
  return [...statements, ...dynamic]
}

/** The imports of a cycle, or between two cycles: none where every import leads down. */
export function circling<Import extends { from: string; to: string }>(all: Import[]): Import[] {
  const importing = new Set(all.map(({ from }) => from))
  const imported = new Set(all.map(({ to }) => to))
  const rest = all.filter(({ from, to }) => imported.has(from) && importing.has(to))
  return rest.length === all.length ? rest : circling(rest)
}

/** `{ type A, type B } from` */
function allTypes(names: string): boolean {
  const inner = /^\{([^}]*)\} from $/.exec(names)?.[1]
  return inner?.split(',').every((name) => !name.trim() || name.trim().startsWith('type ')) ?? false
}

/** The exports of a file and whether each has a documenting comment. */
export function exports(text: string): { name: string; kind: string; isDocumented: boolean }[] {
  const lines = text.split('\n')
  return lines.flatMap((line, at) => {
    const found = /^export (?:abstract )?(?:async )?(function\*?|const|class|type) (\w+)/.exec(line)
    if (!found) return []
    const [, kind = '', name = ''] = found
    return [
      { kind: kind.replace('*', ''), name, isDocumented: lines[at - 1]?.trim().endsWith('*/') ?? false },
    ]
  })
}
