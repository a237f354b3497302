import * as z from 'zod'
import { between, mostBack } from '../earlier-state.ts'
import { cut, when } from '../format.ts'
import { TableName, Uid } from '../schema.ts'
import { reads } from '../tool.ts'

/** `compare_versions`: two states of a record side by side. */
export const compareVersions = reads({
  name: 'compare_versions',
  sign: 'copy',
  source: 'history',
  words: { en: { title: 'Two versions', did: 'Compared two versions', doing: 'Comparing two versions' } },
  description: 'Two states of a record side by side, field by field, as its history has them.',
  parameters: z.strictObject({
    table: TableName,
    uid: Uid,
    older: z.int().min(1).max(mostBack).default(1).describe('Changes back to the older state'),
    newer: z.int().min(0).max(mostBack).default(0).describe('Changes back to the newer state; 0: now'),
  }),
  dataClass: 'internal',
  adminOnly: false,
  suits: ({ history }) => history,
  async run({ table, uid, older, newer }, { actor, cms }) {
    const { differences, entries } = await between(cms, actor, { table, uid, older, newer })
    const first = entries.at(-1)
    const head = `${table} [${uid}], ${older} ${older === 1 ? 'change' : 'changes'} back and ${newer === 0 ? 'now' : `${newer} back`}; the first change between them was by ${first?.user}, ${when(first?.at ?? null)}:`
    if (differences.length === 0) return `${head}\nBoth say the same.`
    const lines = differences.flatMap(({ field, label, older, newer }) => [
      `${field} (${label})`,
      `  older: ${shown(older)}`,
      `  newer: ${shown(newer)}`,
    ])
    return {
      text: [head, ...lines].join('\n'),
      records: [{ table, uid, title: '' }],
      count: differences.length,
    }
  },
})

const shown = (text: string | null) => (text ? cut(text, 5_000) : '(empty)')
