import type { FieldSpec } from './spec.ts'

type More = Partial<Omit<FieldSpec, 'name' | 'label' | 'kind'>>

/** A field of one line of text. */
export const text = (name: string, en: string, de: string, more: More = {}): FieldSpec => ({
  name,
  label: { en, de },
  kind: 'text',
  max: 255,
  initial: '',
  ...more,
})

/** A field of plain text over several lines. */
export const longtext = (name: string, en: string, de: string, more: More = {}): FieldSpec => ({
  ...text(name, en, de),
  kind: 'longtext',
  max: 2_000,
  ...more,
})

/** A field of formatted text. Its limit keeps a record with its history below what an item may hold. */
export const html = (name: string, en: string, de: string, more: More = {}): FieldSpec => ({
  ...text(name, en, de),
  kind: 'html',
  max: 20_000,
  ...more,
})

/** A field of a whole number. */
export const number = (name: string, en: string, de: string, more: More = {}): FieldSpec => ({
  name,
  label: { en, de },
  kind: 'number',
  initial: 0,
  ...more,
})

/** A switch. */
export const flag = (name: string, en: string, de: string, more: More = {}): FieldSpec => ({
  name,
  label: { en, de },
  kind: 'boolean',
  initial: false,
  ...more,
})

/** A field of a moment, ISO 8601 in UTC, or null. */
export const moment = (name: string, en: string, de: string, more: More = {}): FieldSpec => ({
  name,
  label: { en, de },
  kind: 'date',
  initial: null,
  ...more,
})

/** A field of one of a few values; the first is what a new record has. */
export const select = (
  name: string,
  en: string,
  de: string,
  options: string[],
  more: More = {},
): FieldSpec => ({
  name,
  label: { en, de },
  kind: 'select',
  options,
  initial: options[0] ?? '',
  ...more,
})

/** A field of the uid of a record of another table, or null. */
export const relation = (
  name: string,
  en: string,
  de: string,
  table: string,
  more: More = {},
): FieldSpec => ({
  name,
  label: { en, de },
  kind: 'relation',
  relation: table,
  initial: null,
  ...more,
})

/** A field of the uid of a file of the site, or null. */
export const medium = (name: string, en: string, de: string, more: More = {}): FieldSpec => ({
  ...relation(name, en, de, 'media'),
  kind: 'media',
  ...more,
})

/** A field of several values, separated by commas: uids of `table`, or the `options` named. */
export const list = (name: string, en: string, de: string, more: More = {}): FieldSpec => ({
  ...text(name, en, de),
  list: true,
  max: 1_000,
  ...more,
})
