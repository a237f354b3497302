/** The languages of the script. */
export type Lang = 'en' | 'de' | 'fr'

/** The text of the language. */
export function say(lang: Lang, texts: Record<Lang, string>): string {
  return texts[lang]
}

/** A name in the quotes of the language. */
export function named(lang: Lang, name: string): string {
  return say(lang, { en: `“${name}”`, de: `„${name}“`, fr: `«\u202f${name}\u202f»` })
}

const months = 'Jan Feb Mar Apr May Jun Jul Aug Sept Oct Nov Dec'.split(' ')
const french = 'janv. févr. mars avr. mai juin juil. août sept. oct. nov. déc.'.split(' ')

/** A day as people of the language write it: `20 Nov 2026`, `20.11.2026`, `20 nov. 2026`. */
export function day(lang: Lang, iso: string): string {
  const [year = '', month = '', date = ''] = iso.slice(0, 10).split('-')
  const at = Number(month) - 1
  return say(lang, {
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

/** A remark that this is a script, with what it did and what it cannot do. */
export function asScript(lang: Lang, texts: Record<Lang, string>): string {
  const head = say(lang, {
    en: 'This demo is a fixed script, no AI model.',
    de: 'Diese Demo ist ein festes Skript, kein KI-Modell.',
    fr: 'Cette démo est un script fixe, pas un modèle d’IA.',
  })
  return `*${head} ${say(lang, texts)}*`
}

const notOpenTo = {
  en: 'You cannot use it here',
  de: 'Sie können es hier nicht benutzen',
  fr: 'Vous ne pouvez pas l’utiliser ici',
}

/** The sentence that the script needs a tool that is not offered, with the reason. */
export function withoutTool(lang: Lang, reason: string | undefined): string {
  const head = say(lang, {
    en: 'That I cannot do here: I would need a tool that you do not have.',
    de: 'Das kann ich hier nicht: Ich brauchte ein Werkzeug, das Sie nicht haben.',
    fr: 'Je ne peux pas le faire ici\u202f: il me faudrait un outil que vous n’avez pas.',
  })
  return `${head} ${reason ?? `${notOpenTo[lang]}.`}`
}

/** Known reasons of tools for a refusal, which are in English for the model. */
const toolReasons: [pattern: RegExp, de: string, fr: string][] = [
  [
    /^The user denied this change\.?(?: Reason: (.*))?/,
    'Sie haben die Änderung abgelehnt. $1',
    'Vous avez refusé la modification. $1',
  ],
  [
    /may not|not allowed|no right/,
    'Sie dürfen das nicht. Ein Administrator kann Ihnen das Recht geben.',
    'Vous n’en avez pas le droit. Un administrateur peut vous le donner.',
  ],
  [
    /was not found|does not exist|no such/,
    'Das gibt es nicht, oder Sie dürfen es nicht sehen.',
    'Cela n’existe pas, ou vous ne pouvez pas le voir.',
  ],
  [
    /changed (?:by others|meanwhile|since)/,
    'Andere haben den Datensatz inzwischen geändert.',
    'D’autres personnes ont modifié l’enregistrement entre-temps.',
  ],
]

/** What a tool says for a refusal, in the language of the reader; in English its own words. */
export function reasonOf(lang: Lang, text: string): string {
  if (lang === 'en') return brief(text, 600) || '–'
  const [pattern, de, fr] = toolReasons.find(([known]) => known.test(text)) ?? []
  const [, more = ''] = pattern?.exec(text) ?? []
  const words =
    (lang === 'de' ? de : fr) ??
    say(lang, { en: '', de: 'Das CMS hat es abgelehnt.', fr: 'Le CMS l’a refusé.' })
  return words.replace('$1', more).trim()
}

/** The reason of a tool that refused or failed, quoted. */
export function trouble(lang: Lang, text: string): string {
  const head = say(lang, {
    en: 'That did not work:',
    de: 'Das hat nicht geklappt:',
    fr: 'Cela n’a pas fonctionné\u202f:',
  })
  return `${head}\n\n${quote([reasonOf(lang, text)])}`
}
