import type { Put } from '../cms.ts'
import type { Language } from '../schema.ts'
import { isTranslation, numberOf, type Row, textOf } from './item.ts'
import { denyEdit } from './permission.ts'
import { blank, checkAll, firstChanges, type Plan } from './plan.ts'
import type { Refusal } from './refusal.ts'
import { fieldOf, tableOf } from './registry.ts'
import type { Site } from './site.ts'
import { uniqueSlug } from './slug.ts'

/**
 * The plan of a translation as the actor of the site, among all records of the table, or why there is none: a hidden
 * record in the other language on the page of its original. It has its own texts and all else from the original.
 */
export function planTranslation(
  site: Site,
  row: Row,
  { locale = '', fields = {} }: Put,
  records: Row[],
): Plan | Refusal {
  const table = tableOf(row.table)
  const language = languageFor(site, row, locale, records)
  if ('refused' in language) return language
  const inLanguage = { ...row, fields: { ...row.fields, language: language.id } }
  const denial = denyEdit(site.rights, site.pages, inLanguage)
  if (denial) return { refused: denial, table: row.table, uid: row.uid }
  const ground = { site, row, exists: () => true }
  const checked = checkAll(ground, table, fields)
  if ('refused' in checked) return checked
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
  const given = [...Object.keys(checked.values), 'language', 'original']
  return { row: after, before: undefined, original: row, changes: firstChanges(table, after, given) }
}

/** The language of a locale, where a translation into it can be made. */
function languageFor(site: Site, row: Row, locale: string, records: Row[]): Language | Refusal {
  const language = site.languages.find((one) => one.locale === locale)
  const name = `${row.table} [${row.uid}]`
  if (!fieldOf(tableOf(row.table), 'original')) return other(`Records of ${row.table} have no translations.`)
  if (!language) {
    const known = site.languages.map((one) => one.locale).join(', ')
    return other(`The site has no language "${locale}". Languages: ${known}.`)
  }
  if (isTranslation(row))
    return other(`${name} is a translation itself. Translate its original [${numberOf(row, 'original')}].`)
  if (numberOf(row, 'language') === -1) return other(`${name} is the same in all languages.`)
  const known = records.find(
    (one) => numberOf(one, 'original') === row.uid && numberOf(one, 'language') === language.id,
  )
  if (known)
    return other(
      `${name} has the translation [${known.uid}] into this language already. Change that one with update_record.`,
    )
  return language
}

const other = (sentence: string): Refusal => ({ refused: 'other', sentence })
