import { own } from '../../base/json.ts'
import { cut } from '../../base/safety/invisible.ts'
import de from './languages/de.json' with { type: 'json' }
import fr from './languages/fr.json' with { type: 'json' }
import words from './words.json' with { type: 'json' }

/** The languages of the script. */
export type Lang = 'en' | 'de' | 'fr'

const catalogues: Record<Lang, Record<string, string>> = { en: {}, de, fr }

/** Returns an English text in a language; each `{1}` is filled with its value. */
export function translate(lang: Lang, english: string, values: unknown[] = []): string {
  const text = own(catalogues[lang], english) ?? english
  return text.replace(/\{(\d)\}/g, (_, place: string) => String(values[Number(place) - 1]))
}

/** Template tag that translates an English text, whose catalogue key has `{1}`, `{2}` for the values. */
export const say =
  (lang: Lang) =>
  (texts: TemplateStringsArray, ...values: unknown[]): string =>
    translate(
      lang,
      texts.reduce((text, part, at) => `${text}{${at}}${part}`),
      values,
    )

/** Returns a name in the quotation marks of the language. */
export const named = (lang: Lang, name: string): string => say(lang)`“${name}”`

/** Returns a day as people of the language write it: `20 Nov 2026`, `20.11.2026`, `20 nov. 2026`. */
function day(lang: Lang, iso: string): string {
  const month = lang === 'de' ? 'numeric' : 'short'
  const style = { timeZone: 'UTC', day: 'numeric', month, year: 'numeric' } as const
  return new Date(iso.slice(0, 10)).toLocaleDateString(lang === 'en' ? 'en-GB' : lang, style)
}

/** The English notes that tools write, in the other languages of the script. */
const marks = words.marks.map(([mark = '', de = '', fr = '']) => ({ mark: new RegExp(mark, 'g'), de, fr }))

/** Returns a line of a tool in the language of the reader: its days, quotes and notes. */
export function inWords(lang: Lang, line: string): string {
  const dated = line.replace(/(\d{4}-\d\d-\d\d)(?: (\d\d:\d\d) UTC)?/g, (_, date: string, time?: string) =>
    time ? `${day(lang, date)}, ${time} UTC` : day(lang, date),
  )
  if (lang === 'en') return dated
  return marks
    .reduce((text, each) => text.replace(each.mark, each[lang]), dated)
    .replace(/“([^“”]*)”/g, (_, name: string) => named(lang, name))
}

/** Returns the parts of an answer as paragraphs, without those that are empty. */
export const paragraphs = (...parts: string[]): string => parts.filter((part) => part !== '').join('\n\n')

/** Returns the first items of a list, one per line, and the number of omitted items. */
export function itemized(lang: Lang, items: string[], most = 20): string {
  const rest = items.length - most
  const more = rest > 0 ? [`- ${say(lang)`… and ${rest} more`}`] : []
  return [...items.slice(0, most), ...more].join('\n')
}

/** Returns lines as a Markdown quotation. */
export const quote = (lines: string[]): string => lines.map((line) => `> ${line}`).join('\n>\n')

/** Shortens a text to one line of at most this many characters. */
export const brief = (text: string, length = 240): string => cut(text.replace(/\s+/g, ' ').trim(), length)

/** Returns a text without its tags of HTML. */
export const untagged = (html: string, between = ' '): string => html.replace(/<\/?[a-z][^<>]*>/gi, between)

/** Template tag for a remark that this is a script, what it did and what it cannot do. */
export const asScript =
  (lang: Lang): ReturnType<typeof say> =>
  (texts, ...values) =>
    `*${say(lang)`This demo is a fixed script, no AI model.`} ${say(lang)(texts, ...values)}*`

/** Returns the words of a tool for a refusal, in the language of the reader; in English its own, except a denial. */
export function reasonOf(lang: Lang, text: string): string {
  for (const [pattern = '', english = ''] of [words.denied, ...(lang === 'en' ? [] : words.refused)]) {
    const [all, more = ''] = text.match(new RegExp(pattern)) ?? []
    if (all !== undefined) return translate(lang, english, [more]).trim()
  }
  return lang === 'en' ? brief(text, 600) || '–' : say(lang)`The CMS refused it.`
}

/** Returns the reason of a tool that refused or failed, quoted. */
export const trouble = (lang: Lang, text: string): string =>
  `${say(lang)`That did not work:`}\n\n${quote([reasonOf(lang, text)])}`
