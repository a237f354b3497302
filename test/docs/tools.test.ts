import { expect, test } from 'vitest'
import { type Capabilities, writeKinds } from '../../core/cms/capabilities.ts'
import { capabilities } from '../../core/cms/reference/capabilities.ts'
import type { Tool } from '../../core/tool/tool.ts'
import { tools } from '../../core/tool/tools.ts'
import { read } from '../support/docs.ts'

const full: Capabilities = { ...capabilities(), writes: [...writeKinds], parts: true }

/** What a CMS may lack, by the words of the documentation. */
const lacking: [string, Partial<Capabilities>][] = [
  ['tree', { tree: null }],
  ['drafts', { drafts: [] }],
  ...full.drafts.map((type): [string, Partial<Capabilities>] => [
    `drafts: ${type}`,
    { drafts: full.drafts.filter((other) => other !== type) },
  ]),
  ['locales', { locales: 'none' }],
  ...writeKinds.map((kind): [string, Partial<Capabilities>] => [
    `writes: ${kind}`,
    { writes: writeKinds.filter((other) => other !== kind) },
  ]),
  ['bin', { bin: [] }],
  ...(['history', 'media', 'pictures', 'log', 'exceptions', 'users', 'edits', 'parts'] as const).map(
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
