import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** The repository. */
export const root = fileURLToPath(new URL('../..', import.meta.url))

const pagesIn = (folders: string[]) =>
  folders.flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => join(folder, name)),
  )

/** The pages that people read, as paths from the root. */
export const pages: string[] = pagesIn(['.', 'docs', 'docs/decisions'])

/** The pages of the packages; the tests of each package try their commands. */
export const packagePages: string[] = pagesIn(
  readdirSync(join(root, 'packages')).map((name) => join('packages', name)),
)

/** The text of a page. */
export const read = (page: string): string => readFileSync(join(root, page), 'utf8')

/** The fenced blocks of a page in a language, without their fences. */
export function blocks(page: string, language: string): string[] {
  return [...read(page).matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)]
    .filter(([, name]) => name === language)
    .map(([, , text]) => String(text))
}

/** A command as a page shows it, with what its comment says. */
export type Shown = { page: string; command: string; comment: string }

/** All commands of the pages. */
export const commands: Shown[] = pages.flatMap((page) =>
  blocks(page, 'sh').flatMap((block) =>
    block
      .split('\n')
      .filter((line) => line.trim() !== '')
      .map((line) => {
        const [command = '', comment = ''] = line.split(/\s+# /)
        return { page, command: command.trim(), comment }
      }),
  ),
)
