import { own } from '../../base/json.ts'
import de from './languages/de.json' with { type: 'json' }
import fr from './languages/fr.json' with { type: 'json' }

/** The languages of the script. */
export type Lang = 'en' | 'de' | 'fr'

const catalogues: Record<Lang, Record<string, string>> = { en: {}, de, fr }

/** An English text in a language; each `{1}` is filled with its value. */
export function translate(lang: Lang, english: string, values: unknown[] = []): string {
  const text = own(catalogues[lang], english) ?? english
  return text.replace(/\{(\d)\}/g, (_, place: string) => String(values[Number(place) - 1]))
}

/** Tags an English text: its translation, whose key has `{1}`, `{2}` for the values. */
export const say =
  (lang: Lang) =>
  (texts: TemplateStringsArray, ...values: unknown[]): string =>
    translate(
      lang,
      texts.reduce((text, part, at) => `${text}{${at}}${part}`),
      values,
    )

/** The text of the language, for texts whose grammar differs. */
export function pickWords(lang: Lang, texts: Record<Lang, string>): string {
  return texts[lang]
}

/** A name in the quotes of the language. */
export function named(lang: Lang, name: string): string {
  return say(lang)`“${name}”`
}

const months = 'Jan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec'.split(' ')
const french = 'janv. févr. mars avr. mai juin juil. août sept. oct. nov. déc.'.split(' ')

/** A day as people of the language write it: `20 Nov 2026`, `20.11.2026`, `20 nov. 2026`. */
export function day(lang: Lang, iso: string): string {
  const [year = '', month = '', date = ''] = iso.slice(0, 10).split('-')
  const at = Number(month) - 1
  return pickWords(lang, {
    en: `${Number(date)} ${months[at]} ${year}`,
    de: `${Number(date)}.${Number(month)}.${year}`,
    fr: `${Number(date)} ${french[at]} ${year}`,
  })
}

/** The marks that tools write in English, in the other languages of the script. */
const marks: [pattern: RegExp, de: string, fr: string][] = [
  [/, changed (?=\d)/g, ', geändert ', ', modifié '],
  [/\bno right to edit\b/g, 'nur lesen', 'lecture seule'],
  [/(?<=\(|, )hidden(?=\)|, )/g, 'versteckt', 'masqué'],
  [/(?<=\(|, )disabled(?=\)|, )/g, 'gesperrt', 'bloqué'],
  [/(?<=\(|, )administrator(?=\)|, )/g, 'Administrator', 'administrateur'],
  [/, on no page\b/g, '', ''],
  [/, (?:on|path) (?=\S)/g, ', auf ', ', sur '],
  [/\(empty\)/g, '(leer)', '(vide)'],
  [/\bnever logged in\b/g, 'nie angemeldet', 'jamais connecté'],
  [
    /^The user’s own folder has no files\.$/,
    'Sie haben noch keine Dateien.',
    'Vous n’avez pas encore de fichiers.',
  ],
]

/** A line of a tool as a person of the language reads it: its days, its quotes and its marks. */
export function inWords(lang: Lang, line: string): string {
  const dated = line.replace(/(\d{4}-\d\d-\d\d)(?: (\d\d:\d\d) UTC)?/g, (_, date: string, time?: string) =>
    time ? `${day(lang, date)}, ${time} UTC` : day(lang, date),
  )
  if (lang === 'en') return dated
  const marked = marks.reduce(
    (text, [pattern, de, fr]) => text.replace(pattern, lang === 'de' ? de : fr),
    dated,
  )
  return marked.replace(/“([^“”]*)”/g, (_, name: string) => named(lang, name))
}

/** Lines as a Markdown quotation. */
export function quote(lines: string[]): string {
  return lines.map((line) => `> ${line}`).join('\n>\n')
}

/** Shortens a text to one line of at most this many characters. */
export function brief(text: string, length = 240): string {
  const characters = [...text.replace(/\s+/g, ' ').trim()]
  return characters.length <= length ? characters.join('') : `${characters.slice(0, length - 1).join('')}…`
}

/** Tags a remark that this is a script, with what it did and what it cannot do. */
export const asScript =
  (lang: Lang): ReturnType<typeof say> =>
  (texts, ...values) =>
    `*${say(lang)`This demo is a fixed script, no AI model.`} ${say(lang)(texts, ...values)}*`

/** The sentence that the script needs a tool that is not offered, with the reason. */
export function withoutTool(lang: Lang, reason: string | undefined): string {
  const head = say(lang)`That I cannot do here: I would need a tool that you do not have.`
  return `${head} ${reason ?? `${say(lang)`You cannot use it here`}.`}`
}

/** Known reasons of tools for a refusal, which are in English for the model. */
const toolReasons: [pattern: RegExp, english: string][] = [
  [/^The user denied this change\.?(?: Reason: (.*))?/, 'You denied the change. {1}'],
  [/may not|not allowed|no right/, 'You may not. An administrator can give you the right.'],
  [/was not found|does not exist|no such/, 'It is not there, or you may not see it.'],
  [/changed (?:by others|meanwhile|since)/, 'Others have changed the record meanwhile.'],
]

/** What a tool says for a refusal, in the language of the reader; in English its own words. */
export function reasonOf(lang: Lang, text: string): string {
  if (lang === 'en') return brief(text, 600) || '–'
  const [pattern, english = 'The CMS refused it.'] = toolReasons.find(([known]) => known.test(text)) ?? []
  const [, more = ''] = pattern?.exec(text) ?? []
  return translate(lang, english, [more]).trim()
}

/** The reason of a tool that refused or failed, quoted. */
export function trouble(lang: Lang, text: string): string {
  const head = say(lang)`That did not work:`
  return `${head}\n\n${quote([reasonOf(lang, text)])}`
}
