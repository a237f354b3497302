import { existsSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, test } from 'vitest'
import { packagePages, pages, read, root } from '../support/docs.ts'

/** Headings of a page as the fragments that lead to them. */
const fragments = (page: string) =>
  [...read(page).matchAll(/^#+ (.+)$/gm)].map(([, heading]) =>
    String(heading)
      .toLowerCase()
      .replace(/[^\p{L}\p{N} -]/gu, '')
      .replaceAll(' ', '-'),
  )

/** What is wrong with the links of a page: no such file, or no such heading in it. */
function brokenLinks(page: string): string[] {
  const links = [...read(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, to]) => String(to))
  return links.filter((link) => {
    if (/^https?:/.test(link)) return false
    const [path = '', fragment] = link.split('#')
    const target = path ? join(dirname(page), path) : page
    if (!existsSync(join(root, target))) return true
    return fragment !== undefined && !fragments(target).includes(fragment)
  })
}

/** Paths of the repository that a page names in code, such as `core/live.ts`. */
function missingPaths(page: string): string[] {
  const named = [...read(page).matchAll(/`([\w.-]+\/[\w./*<>-]*)`/g)].map(([, path]) => String(path))
  return named
    .filter((path) => /^(core|functions|web|infra|scripts|test|docs|\.ci)\//.test(path))
    .filter((path) => !/[*<>]/.test(path))
    .filter((path) => !existsSync(join(root, path)))
}

test.each([...pages, ...packagePages])('every link of %s leads somewhere', (page) => {
  expect(brokenLinks(page)).toEqual([])
})

test.each([...pages, ...packagePages])('every path that %s names is there', (page) => {
  expect(missingPaths(page)).toEqual([])
})

test.each(pages.filter((page) => page.startsWith('docs/decisions')))(
  '%s has number, date, context, decision and consequence',
  (page) => {
    const number = Number(/(\d{4})-/.exec(page)?.[1])
    expect(read(page)).toMatch(
      new RegExp(
        `^# ${number}\\. .+\\n\\n\\d{4}-\\d\\d-\\d\\d · (accepted|superseded by \\d+)\\n\\n\\*\\*Context\\.\\*\\*[^]+\\*\\*Decision\\.\\*\\*[^]+\\*\\*Consequence\\.\\*\\*`,
      ),
    )
  },
)
