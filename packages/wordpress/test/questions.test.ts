import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import * as z from 'zod'
import { Batch, operations } from '../../../core/cms/operation.ts'

type Form = { type?: unknown; required?: unknown; properties?: Record<string, Form>; items?: Form }

const questions: Record<string, Record<string, Form>> = JSON.parse(
  readFileSync(new URL('../plugin/questions.json', import.meta.url), 'utf8'),
)

/** Members that no site with the plugin is asked for: `capabilities` names no type for them. */
const unasked = ['after', 'original', 'locale', 'earlier', 'now']

/** The members of a form, `?` behind those that may be absent, each with the members inside of it. */
const membersOf = (properties: Record<string, Form> = {}): object =>
  Object.fromEntries(
    Object.entries(properties).map(([name, form]) => [
      form.required === true ? name : `${name}?`,
      membersOf(form.properties ?? form.items?.properties),
    ]),
  )

/** The same of a JSON schema, whose alternatives are joined: a member is required where all of them have it. */
function membersOfSchema(schema: z.core.JSONSchema.BaseSchema): object {
  const forms = (schema.anyOf ?? [schema]).filter((it) => it.properties)
  const all = Object.assign({}, ...forms.map((it) => it.properties))
  return Object.fromEntries(
    Object.entries(all)
      .filter(([name]) => !unasked.includes(name))
      .map(([name, member]) => {
        const inside = member as z.core.JSONSchema.BaseSchema
        const isRequired = forms.every(({ required }) => required?.includes(name))
        const items = inside.items as z.core.JSONSchema.BaseSchema | undefined
        return [isRequired ? name : `${name}?`, membersOfSchema(items ?? inside)]
      }),
  )
}

test('the plugin knows each question with its members, and which of them may be absent', () => {
  const expected = Object.entries({ ...operations, batch: { input: Batch } }).map(([name, { input }]) => [
    name,
    membersOfSchema(z.toJSONSchema(input, { io: 'input', unrepresentable: 'any' })),
  ])

  const known = Object.entries(questions).map(([name, members]) => [name, membersOf(members)])
  expect(Object.fromEntries(known)).toEqual(Object.fromEntries(expected))
})
