import { expect, test } from 'vitest'
import type { Capabilities } from '../../core/cms/capabilities.ts'
import { capabilities } from '../../core/cms/reference/registry.ts'
import type { Tool } from '../../core/tool/tool.ts'
import { tools } from '../../core/tool/tools.ts'
import { read } from '../support/docs.ts'

const full: Capabilities = { ...capabilities(), parts: true }
const members = Object.keys(full.writes) as (keyof Capabilities['writes'])[]

/** What a CMS may lack, by the words of the documentation. */
const lacking: [string, Partial<Capabilities>][] = [
  ['tree', { tree: null }],
  ['addresses', { addresses: null }],
  ['locales', { locales: 'none' }],
  ...members.map((name): [string, Partial<Capabilities>] => [
    `writes.${name}`,
    { writes: { ...full.writes, [name]: [] } },
  ]),
  ...full.writes.create.map((type): [string, Partial<Capabilities>] => [
    `writes.create: ${type}`,
    { writes: { ...full.writes, create: full.writes.create.filter((other) => other !== type) } },
  ]),
  ...(['history', 'media', 'pictures', 'log', 'exceptions', 'users', 'parts'] as const).map(
    (name): [string, Partial<Capabilities>] => [name, { [name]: false }],
  ),
]

/** What a tool needs; a certain draft rather than any. */
function needs({ suits }: Tool): string[] {
  const words = lacking.flatMap(([words, without]) =>
    suits?.({ ...full, ...without }) === false ? [words] : [],
  )
  return words.filter((name) => !words.some((other) => other.startsWith(`${name}: `)))
}

const does = (tool: Tool) => ('question' in tool ? 'asks' : tool.writes ? 'proposes' : 'reads')

const row = (tool: Tool) =>
  [
    `\`${tool.name}\``,
    does(tool),
    tool.dataClass,
    tool.adminOnly ? 'administrators' : 'all',
    needs(tool)
      .map((name) => `\`${name}\``)
      .join(', ') || '-',
    (tool.description.match(/^.*?[.](?= |$)/s)?.[0] ?? '').replaceAll('|', '\\|'),
  ].join(' | ')

test('the table of tools has all that there are, with what each does and needs', () => {
  const table = read('docs/tools.md')
    .split('\n')
    .filter((line) => line.startsWith('| `'))

  expect(table).toEqual(tools.map((tool) => `| ${row(tool)} |`))
})
