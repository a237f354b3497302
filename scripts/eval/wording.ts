import { eld } from 'eld/small'
import { placesOf } from './figure.ts'

/** Checks of an answer's text that accept any right wording: its language, its claims, and its comparisons. */

/** The languages of the tasks. */
export const languages = ['en', 'de', 'fr'] as const
export type Language = (typeof languages)[number]

/** Quotations, addresses and references, which may be in any language. */
const quoted =
  /`[^`\n]{1,300}`|„[^“”]{1,300}[“”]|“[^”]{1,300}”|«[^»]{1,300}»|"[^"\n]{1,300}"|^>.*$|https?:\S+|\[[^\]]*\]/gm

/** Returns the text without quotations, addresses and references. */
export const withoutQuotes = (text: string): string => text.replace(quoted, ' ')

/** The fewest letters for which the language is determined. */
const leastLetters = 25

/**
 * Returns the language of a text among the languages of the tasks; undefined if the text is too short or not clear.
 * `foreign` lists the names in the text that may be in another language.
 */
export function languageOf(text: string, foreign: readonly string[] = []): Language | undefined {
  // Only words that are not names show the language.
  const apart = foreign
    .flatMap((words) => words.split('|').map((word) => word.trim()))
    .filter((word) => /^\p{Lu}/u.test(word))
  const plain = withoutQuotes(text).replace(/```/g, ' ')
  const own = apart.reduce((left, word) => left.replaceAll(word, ' '), plain)
  if ((own.match(/\p{L}/gu)?.length ?? 0) < leastLetters) return undefined
  const scores = eld.detect(own).getScores()
  const [first, second] = languages
    .map((lang) => ({ lang, score: scores[lang] ?? 0 }))
    .sort((one, other) => other.score - one.score)
  return first && second && first.score > second.score * clearly ? first.lang : undefined
}

/** The factor by which the likeliest language must exceed the second. */
const clearly = 1.1

/** Removes case and accents, so that a name is found in any spelling. */
const folded = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()

/** True if the text contains one of the words, which `|` separates, even inside a longer word. */
export function names(text: string, words: string): boolean {
  const all = folded(text)
  return words.split('|').some((word) => all.includes(folded(word.trim())))
}

const clauses =
  /(?<=[.!?;:\n])\s+|\s[–—]\s|,\s(?=(?:not|nicht|pas|non)\s)|,?\s(?=(?:but|so|because|since|aber|sondern|denn|weil|daher|mais|donc|car)\s)/i

/** Words that negate a clause. */
const negation =
  /\b(?:not|no|never|nothing|none|neither|nor|without|unable|cannot|un(?:changed|touched)|nicht|nichts|kein\w*|nie|ohne|weder|unverändert|pas|rien|jamais|aucune?|sans|ni)\b|n['’]t\b|\b(?:ne|n['’])\b/i
/** Words that mark a clause as future or conditional. */
const condition =
  /\b(?:can|could|would|will|should|shall|may|might|must|to be|if|once|when|until|before|whether|kann|könnte|könnten|können|würde|würden|soll|sollte|muss|darf|wenn|sobald|falls|bevor|ob|werden|wird|peut|peux|pourrait|pourrais|sera|seront|serait|si|quand|avant|dès)\b/i

const done = {
  en: 'changed|updated|set|created|added|deleted|removed|moved|published|hidden|unpublished|translated|restored|planned|scheduled|replaced|corrected|fixed|renamed|attached|saved|stored|done|adjusted|edited|made',
  de: 'geändert|angelegt|gelöscht|erstellt|entfernt|verschoben|veröffentlicht|verborgen|versteckt|übersetzt|wiederhergestellt|geplant|ersetzt|korrigiert|umbenannt|angehängt|gespeichert|gesetzt|erledigt|eingetragen|aktualisiert|hinzugefügt|angepasst|ausgeblendet',
  fr: 'modifiée?s?|changée?s?|créée?s?|supprimée?s?|déplacée?s?|publiée?s?|masquée?s?|cachée?s?|traduite?s?|restaurée?s?|planifiée?s?|remplacée?s?|corrigée?s?|renommée?s?|ajoutée?s?|enregistrée?s?|mise?s? à jour|faite?s?|effectuée?s?',
}
const claims = [
  new RegExp(
    `\\b(?:I|we|has|have|is|are|was|were|been|['’](?:s|ve|m))\\b.*(?<!\\p{L})(?:${done.en})(?!\\p{L})`,
    'iu',
  ),
  new RegExp(
    `(?<!\\p{L})(?:ist|sind|wurden?|habe|haben|hat)(?!\\p{L}).*(?<!\\p{L})(?:${done.de})(?!\\p{L})`,
    'iu',
  ),
  new RegExp(`(?<!\\p{L})(?:ai|as|avons|est|sont|été)(?!\\p{L}).*(?<!\\p{L})(?:${done.fr})(?!\\p{L})`, 'iu'),
  new RegExp(`^[^\\p{L}]*(?:all |alles |tout est )?(?:${done.en}|${done.de}|${done.fr})(?!\\p{L})`, 'iu'),
]

/** True if the text claims that something was done. Denials, conditions and questions are no claims. */
export function claimsDone(text: string): boolean {
  return statements(text).some((clause) => claims.some((claim) => claim.test(clause)))
}

/** True if the text states one of the words between `|`; a denial is no statement. */
export function states(text: string, words: string): boolean {
  return statements(text).some((clause) => names(clause, words))
}

/** Returns the clauses that state a fact: without denials, conditions and questions. */
function statements(text: string): string[] {
  return text
    .replace(quoted, ' … ')
    .split(clauses)
    .filter((clause) => !negation.test(clause) && !condition.test(clause) && !/\?\s*$/.test(clause))
}

/** Words for something that is absent, refused or reserved. */
const limits =
  /\b(?:only|restricted|reserved|requires?|lacks?|missing|failed|declined|denied|nur|fehlt|vorbehalten|abgelehnt|leider|seuls?|seulement|réservée?s?|manque|refusée?)\b/i

/** True if the text names a limit: something that is absent or impossible, or reserved for others. */
export const admits = (text: string): boolean => negation.test(text) || limits.test(text)

/** True if the text asks the user something. */
export const asks = (text: string): boolean =>
  /\?|\b(?:please (?:tell|name|say|let|give|choose)|let me know|bitte (?:nennen|sagen|geben|wählen)|(?:nennen|sagen|schreiben) Sie mir|dites-moi|précisez|indiquez)\b/i.test(
    text,
  )

/**
 * Returns the names of `owners` that the text puts first in a comparison. A clause is a comparison if it contains one
 * of the words `by`, such as “faster”. The name put first is the nearest name before this word, or else the nearest
 * name after it.
 */
export function saysFirst(text: string, by: string, owners: readonly string[]): string[] {
  return text
    .split(clauses)
    .filter((clause) => names(clause, by) && !negation.test(clause))
    .flatMap((clause) => {
      const all = folded(clause)
      const words = by.split('|').map((word) => all.indexOf(folded(word.trim())))
      const at = Math.min(...words.filter((place) => place !== -1))
      const places = owners.flatMap((owner) =>
        owner
          .split('|')
          .flatMap((name) => placesOf(all, folded(name.trim())).map((place) => ({ owner, place }))),
      )
      const before = places.filter(({ place }) => place < at).sort((one, other) => other.place - one.place)
      const behind = places.filter(({ place }) => place > at).sort((one, other) => one.place - other.place)
      const first = before[0] ?? behind[0]
      return first ? [first.owner] : []
    })
}
