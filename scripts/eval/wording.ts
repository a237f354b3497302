import { eld } from 'eld/small'
import { placesOf } from './figure.ts'

/** Checks of an answer's words that hold for any right wording: its language, what it claims, and what it compares. */

/** The languages that tasks are written in. */
export const languages = ['en', 'de', 'fr'] as const
export type Language = (typeof languages)[number]

/** Quotations, addresses and references, which may be in any language. */
const quoted =
  /`[^`\n]{1,300}`|„[^“”]{1,300}[“”]|“[^”]{1,300}”|«[^»]{1,300}»|"[^"\n]{1,300}"|^>.*$|https?:\S+|\[[^\]]*\]/gm

/** The text without what it quotes. */
export const withoutQuotes = (text: string): string => text.replace(quoted, ' ')

/** The least letters from which a language can be told. */
const leastLetters = 25

/**
 * The language of a text among those of the tasks; undefined if the text is too short to tell. `foreign` are names in it
 * that may be of another language.
 */
export function languageOf(text: string, foreign: readonly string[] = []): Language | undefined {
  // Words that are no names tell the language.
  const apart = foreign
    .flatMap((words) => words.split('|').map((word) => word.trim()))
    .filter((word) => /^\p{Lu}/u.test(word))
  const own = apart.reduce(
    (left, word) => left.replaceAll(word, ' '),
    withoutQuotes(text).replace(/```/g, ' '),
  )
  if ((own.match(/\p{L}/gu)?.length ?? 0) < leastLetters) return undefined
  const scores = eld.detect(own).getScores()
  const [first, second] = languages
    .map((lang) => ({ lang, score: scores[lang] ?? 0 }))
    .sort((one, other) => other.score - one.score)
  return first && second && first.score > second.score * clearly ? first.lang : undefined
}

/** How far the likeliest language is ahead of the next where it can be told. */
const clearly = 1.1

/** Folds case and accents, so that a name is found however it is written. */
const folded = (text: string): string => text.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()

/** True if the text has one of the words between `|`, as it is or as part of a longer word. */
export function names(text: string, words: string): boolean {
  const all = folded(text)
  return words.split('|').some((word) => all.includes(folded(word.trim())))
}

const clauses =
  /(?<=[.!?;:\n])\s+|\s[–—]\s|,\s(?=(?:not|nicht|pas|non)\s)|,?\s(?=(?:but|so|because|since|aber|sondern|denn|weil|daher|mais|donc|car)\s)/i

/** Words that turn a clause into its opposite. */
const negation =
  /\b(?:not|no|never|nothing|none|neither|nor|without|unable|cannot|un(?:changed|touched)|nicht|nichts|kein\w*|nie|ohne|weder|unverändert|pas|rien|jamais|aucune?|sans|ni)\b|n['’]t\b|\b(?:ne|n['’])\b/i
/** Words that put a clause into the future or under a condition. */
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

/** True if the text claims that something was done. A denial, a condition and a question are no claims. */
export function claimsDone(text: string): boolean {
  return statements(text).some((clause) => claims.some((claim) => claim.test(clause)))
}

/** True if the text states one of the words between `|`; a denial of it is no statement. */
export function states(text: string, words: string): boolean {
  return statements(text).some((clause) => names(clause, words))
}

/** The clauses that say what is: without denials, conditions and questions. */
function statements(text: string): string[] {
  return text
    .replace(quoted, ' … ')
    .split(clauses)
    .filter((clause) => !negation.test(clause) && !condition.test(clause) && !/\?\s*$/.test(clause))
}

/** True if the text names a limit: it says what is not, what cannot be done, or who may. */
export function admits(text: string): boolean {
  return (
    negation.test(text) ||
    /\b(?:only|restricted|reserved|requires?|lacks?|missing|failed|declined|denied|nur|fehlt|vorbehalten|abgelehnt|leider|seuls?|seulement|réservée?s?|manque|refusée?)\b/i.test(
      text,
    )
  )
}

/** True if the text asks something. */
export const asks = (text: string): boolean =>
  /\?|\b(?:please (?:tell|name|say|let|give|choose)|let me know|bitte (?:nennen|sagen|geben|wählen)|(?:nennen|sagen|schreiben) Sie mir|dites-moi|précisez|indiquez)\b/i.test(
    text,
  )

/** The name that comes first by one of the words of a text: the one that is nearest before it in its clause, or behind it. */
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
