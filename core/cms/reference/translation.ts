import type { FieldChange } from '../../conversation/schema.ts'
import type { Write } from '../cms.ts'
import type { Language } from '../schema.ts'
import { type Change, shownChanges } from './history.ts'
import { isTranslation, numberOf, type Row, textOf, type Value } from './item.ts'
import { denyEdit, readableFields } from './permission.ts'
import { blank, checkAll, type Plan } from './plan.ts'
import type { Refusal } from './refusal.ts'
import { fieldOf, tableOf } from './registry.ts'
import type { Site } from './site.ts'
import { uniqueSlug } from './slug.ts'
import type { FieldSpec, TableSpec } from './spec.ts'
import { show } from './value.ts'

/**
 * The plan of a translation as the actor of the site, among all records of the table, or why there is none: a hidden
 * record in the other language on the page of its original. It has its own texts and all else from the original.
 */
export function planTranslation(
  site: Site,
  row: Row,
  write: Extract<Write, { kind: 'translate' }>,
  records: Row[],
): Plan | Refusal {
  const table = tableOf(row.table)
  const language = languageFor(site, row, write.locale, records)
  if ('refused' in language) return language
  const inLanguage = { ...row, fields: { ...row.fields, language: language.id } }
  const denial = denyEdit(site.rights, site.pages, inLanguage)
  if (denial) return { refused: denial, table: row.table, uid: row.uid }
  const ground = { site, row, exists: () => true }
  const checked = checkAll(ground, table, write.fields)
  if ('refused' in checked) return checked
  const translatable = readableFields(site.rights, table, row).filter(({ translated }) => translated)
  const obstacle = incomplete(row, translatable, checked.values)
  if (obstacle) return obstacle

  const own = Object.fromEntries(
    table.fields.filter(({ translated }) => translated).map(({ name, initial }) => [name, initial]),
  )
  const after = blank(row.table, row.pid, {
    ...inLanguage.fields,
    ...own,
    ...checked.values,
    ...(row.table === 'pages' && { perms_userid: site.actor.uid, perms_user: 31 }),
    original: row.uid,
    hidden: true,
  })
  if (row.table === 'pages') {
    const wanted = textOf(after, 'slug') || textOf(after, 'title')
    after.fields.slug = uniqueSlug(site.pages, { uid: 0, pid: row.pid, wanted })
  }
  const changes = changesOf(table, after, checked.values)
  return { row: after, before: undefined, original: row, changes, shown: shownOf(site, row, after, changes) }
}

/** The language of a locale, where a translation into it can be made. */
function languageFor(site: Site, row: Row, locale: string, records: Row[]): Language | Refusal {
  const plain = (tag: string) => tag.toLowerCase().replace('_', '-')
  const language = site.languages.find((one) => plain(one.locale) === plain(locale))
  const name = `${row.table} [${row.uid}]`
  if (!fieldOf(tableOf(row.table), 'original')) return other(`Records of ${row.table} have no translations.`)
  if (!language) {
    const known = site.languages.map((one) => one.locale).join(', ')
    return other(`The site has no language "${locale}". Languages: ${known}.`)
  }
  if (isTranslation(row))
    return other(`${name} is a translation itself. Translate its original [${numberOf(row, 'original')}].`)
  if (numberOf(row, 'language') === -1) return other(`${name} is the same in all languages.`)
  if (numberOf(row, 'language') === language.id) return other(`${name} is in this language already.`)
  const known = records.find(
    (one) => numberOf(one, 'original') === row.uid && numberOf(one, 'language') === language.id,
  )
  if (known)
    return other(
      `${name} has the translation [${known.uid}] into this language already. Change that one with update_record.`,
    )
  return language
}

/** A translation says all that its original says, and nothing that is common to all languages. */
function incomplete(row: Row, translatable: FieldSpec[], values: Record<string, Value>): Refusal | undefined {
  const names = translatable.map(({ name }) => name)
  const common = Object.keys(values).filter((name) => !names.includes(name))
  if (common.length > 0)
    return other(
      `These fields are the same in every language: ${common.join(', ')}. Leave them out. Fields with texts: ${names.join(', ')}.`,
    )
  const lacking = names.filter((name) => name !== 'slug' && textOf(row, name) !== '' && !(name in values))
  if (lacking.length === 0) return undefined
  return other(
    `The original also has texts in these fields: ${lacking.join(', ')}. Translate them, too; give "" for one that is to stay empty.`,
  )
}

function changesOf(table: TableSpec, after: Row, values: Record<string, Value>): Change[] {
  const shown = new Set([
    ...Object.keys(values),
    ...['language', 'original', 'hidden'],
    ...(table.name === 'pages' ? ['slug'] : []),
  ])
  return table.fields
    .filter(({ name }) => shown.has(name))
    .map(({ name }) => ({ field: name, before: null, after: after.fields[name] ?? null }))
}

/** Each text beside that of the original, and the languages by their titles. */
function shownOf(site: Site, row: Row, after: Row, changes: Change[]): FieldChange[] {
  const title = (of: Row) =>
    site.languages.find(({ id }) => id === numberOf(of, 'language'))?.title ?? numberOf(of, 'language')
  const seen = changes.filter(({ field }) => field !== 'original')
  return shownChanges(site, after, seen, true).map((change) => {
    if (change.field === 'language')
      return { ...change, original: String(title(row)), after: String(title(after)) }
    const spec = fieldOf(tableOf(row.table), change.field)
    const original = spec ? show(spec, row.fields[change.field] ?? spec.initial, site.actor.lang) : null
    return { ...change, original }
  })
}

const other = (sentence: string): Refusal => ({ refused: 'other', sentence })
