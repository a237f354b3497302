import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Claims } from './claims.ts'
import { filled } from './figures.ts'

const begin = '<!-- Written by npm run manifest, from the results files. -->'
const end = '<!-- End of what npm run manifest writes. -->'

/** README.md with its table of figures as the results files have them. Throws where a figure or the place is missing. */
export function readme(root: string): string {
  const text = readFileSync(join(root, 'README.md'), 'utf8')
  const { figures } = Claims.parse(
    JSON.parse(readFileSync(join(root, 'scripts/manifest/claims.json'), 'utf8')),
  )
  const rows = figures.map(
    ({ figure, value, command }) => `| ${figure} | ${filled(root, value)} | \`${command}\` |`,
  )
  const table = ['| Figure | Measured | Command |', '|---|---|---|', ...rows].join('\n')
  const [before, rest] = text.split(begin)
  const after = rest?.split(end)[1]
  if (before === undefined || after === undefined) throw new Error('README.md has no place for figures.')
  return `${before}${begin}\n\n${table}\n\n${end}${after}`
}
