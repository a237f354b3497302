import { item, number, type Of, schemaAttribute } from '../aws/item.ts'
import type * as Table from '../aws/table.ts'

/**
 * How far a provider is booked: until when its requests and until when its tokens are given away, both in milliseconds since
 * the epoch. One item for each provider, so it takes about 1,000 calls of models a second.
 */
export const codec = item('pace', 1, {
  requests: number('requests_until', 0),
  tokens: number('tokens_until', 0),
})

export type Booked = Of<typeof codec.fields>

/** Key of what is booked of a provider, by its uid. */
export const key = (provider: number): Table.Key => ({ pk: 'stage', sk: `pace#${provider}` })

/** What is booked, from its row; nothing where there is none. */
export const decode = (row: Table.Row | undefined): Booked => (row ? codec.decode(row) : codec.empty)

/** The schema number, to be stored with each change. */
export const schema = { [schemaAttribute]: codec.schema }
