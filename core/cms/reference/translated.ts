import * as Table from '../../base/aws/table.ts'
import { numberOf, type Row, translationKey } from './item.ts'
import * as Rows from './rows.ts'

/** The one place for the translation of a record into a language; `gone` is the deleted translation that has it still. */
export type Vacancy = { key: Table.Key; gone: number }

/** The place of a translation that is to be made; undefined: another translation was put there meanwhile. */
export async function vacancyFor(
  store: string,
  original: Row,
  translation: Row,
): Promise<Vacancy | undefined> {
  const { table } = original
  const key = translationKey(table, original.uid, numberOf(translation, 'language'))
  const gone = Number((await Table.get(key, store))?.taken_by ?? 0)
  return gone > 0 && (await Rows.find(store, table, gone)) ? undefined : { key, gone }
}

/** The write that gives a translation its place, and fails where another one has got it. */
export const occupy = (store: string, { key, gone }: Vacancy, uid: number): Table.Write => ({
  Put: {
    TableName: store,
    Item: { ...key, taken_by: uid },
    ConditionExpression: 'attribute_not_exists(pk) OR taken_by = :gone',
    ExpressionAttributeValues: { ':gone': gone },
  },
})
