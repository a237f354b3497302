import type { Put } from '../cms.ts'
import type { Language } from '../schema.ts'
import { blank, isTranslation, numberOf, type Row } from './item.ts'
import { denyEdit } from './permission.ts'
import { address, checkAll, firstChanges, type Plan } from './plan.ts'
import { denyFor, refuse } from './refusal.ts'
import { fieldOf, tableOf } from './registry.ts'
import type { Site } from './site.ts'

/**
 * The plan of a translation as the actor of the site, among all records of the table: a hidden
 * record in the other language on the page of its original. It has its own texts and all else from the original.
 * Throws Refused.
 */
export function planTranslation(
  site: Site,
  row: Row,
  { locale = '', fields = {} }: Put,
  records: Row[],
): Plan {
  const table = tableOf(row.table)
  const language = languageFor(site, row, locale, records)
  const inLanguage = { ...row, fields: { ...row.fields, language: language.id } }
  denyFor(row, denyEdit(site.rights, site.pages, inLanguage))
  const ground = { site, row, exists: () => true }
  const values = checkAll(ground, table, fields)
  const own = Object.fromEntries(
    table.fields.filter(({ translated }) => translated).map(({ name, initial }) => [name, initial]),
  )
  const after = blank(row.table, row.pid, {
    ...inLanguage.fields,
    ...own,
    ...values,
    ...(row.table === 'pages' && { perms_userid: site.actor.uid, perms_user: 31 }),
    original: row.uid,
    hidden: true,
  })
  address(site, after)
  const given = [...Object.keys(values), 'language', 'original']
  return { row: after, before: undefined, original: row, changes: firstChanges(table, after, given) }
}

/** The language of a locale. Throws Refused where no translation into it can be made. */
function languageFor(site: Site, row: Row, locale: string, records: Row[]): Language {
  const language = site.languages.find((one) => one.locale === locale)
  const name = `${row.table} [${row.uid}]`
  if (!fieldOf(tableOf(row.table), 'original')) refuse(`Records of ${row.table} have no translations.`)
  if (!language) refuse(`The site has no language "${locale}".`)
  if (isTranslation(row))
    refuse(`${name} is a translation itself. Translate its original [${numberOf(row, 'original')}].`)
  if (numberOf(row, 'language') === -1) refuse(`${name} is the same in all languages.`)
  const known = records.find(
    (one) => numberOf(one, 'original') === row.uid && numberOf(one, 'language') === language.id,
  )
  if (known)
    refuse(
      `${name} has the translation [${known.uid}] into this language already. Change that one with update_record.`,
    )
  return language
}
