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
export function withoutTool(lang: Lang, tool: string, reason: string | undefined): string {
  const head = say(lang, {
    en: `For that I would need the tool \`${tool}\`.`,
    de: `Dafür brauchte ich das Werkzeug \`${tool}\`.`,
    fr: `Il me faudrait pour cela l’outil \`${tool}\`.`,
  })
  return `${head} ${reason ?? `${notOpenTo[lang]}.`}`
}

/** The text of a tool that refused or failed, quoted. */
export function trouble(lang: Lang, tool: string, text: string): string {
  const head = say(lang, {
    en: `That did not work. The tool \`${tool}\` says:`,
    de: `Das hat nicht geklappt. Das Werkzeug \`${tool}\` sagt:`,
    fr: `Cela n’a pas fonctionné. L’outil \`${tool}\` dit\u202f:`,
  })
  return `${head}\n\n${quote([brief(text, 600) || '–'])}`
}
