import type { FieldKind } from '../../../core/cms/schema.ts'
import { always, type Check, checksOf, draft, expects } from './bench.ts'

const values: [string, unknown][] = [
  ['a long text', 'long '.repeat(40_000)],
  ['letters of all scripts', 'Ω 漢字 שלום 👩‍👩‍👧 e\u0301 \u202etxt'],
  ['quotes and markup', `'; DROP TABLE x; -- "\\ %s {{ }} <?php ?>`],
  ['a list', ['a', { b: 1 }]],
  ['an object', { a: { b: [] } }],
  ['null', null],
]

/** Values that no field of a kind can hold. */
const ofNoKind: Partial<Record<FieldKind, unknown[]>> = {
  text: [{ a: 1 }, ['a']],
  longtext: [{ a: 1 }],
  html: [{ a: 1 }, true],
  number: ['many', {}],
  boolean: ['perhaps', []],
  date: ['soon', {}],
  select: ['no such option', 7],
  relation: [{ a: {} }, [{}]],
  media: ['no such file', { a: 1 }],
}

/** Values that no form would send: refused for the model, or stored as they were shown; never an error of the server. */
export const hostile: Check[] = [
  ...values.flatMap(([name, value]) =>
    checksOf('hostile input', always, {
      async [`${name} is refused, or stored as shown`]({ show, type, record, edit, make, textOf }) {
        const place = await record()
        const change = edit(place, value)
        const shown = (await show(change))?.changes.find(({ field }) => field === type.text)
        if (!shown) return
        await make(change, place)
        const stored = await textOf(place)
        const isSame = [stored ?? '', JSON.stringify(stored)].includes(shown.after ?? '')
        expects(isSame, 'Stored is what was shown', { shown, stored })
      },
    }),
  ),
  ...checksOf('preview', always, {
    async 'a value of another kind is refused'({ show, type, record, edit }) {
      const place = await record()
      for (const { name, kind, required } of type.fields.filter(({ readOnly }) => !readOnly)) {
        const wrong = [...(ofNoKind[kind] ?? []), ...(required ? [''] : [])]
        for (const value of wrong) {
          const shown = await show(edit(place, value, name))
          expects(!shown, `The field ${name} is of the kind ${kind} and has to refuse`, value)
        }
      }
    },
  }),
  ...checksOf('writing', always, {
    async 'an unknown field and an unknown record are refused'({ show, type, record, edit }) {
      const place = await record()
      const wrong = [edit(place, 'x', 'no_such_field'), edit({ ...place, uid: 999_999_999 }, 'x')]
      for (const write of [...wrong, draft({ ...type, table: 'no_such' }, 'x')])
        expects((await show(write)) === undefined, 'Has to be refused', write)
    },
  }),
]
