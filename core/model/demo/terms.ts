/** Extracts the subject of a question: its words without stop words, and the queries to search for. */

const stop = new Set(
  `a about after all also am an and any are as at be been before by can could did do does every find for from get give
  had has have he her his how i if long in into is it its just let look many may me more most much must my no not of on one or
  our out over please say search see shall she should show so some tell than that the their them then there these they
  this those to up us use was we were what when where which who whom whose why will with would you your site website page
  pages cost costs price prices expensive english german
  ab aber alle alles als am an auch auf aus bei beim bin bis bitte da dann das dass dem den der des die diese diesem diesen
  dieser dieses doch dort du durch ein eine einem einen einer eines er es etwas finde für gib gibt haben hat hier ich ihr
  im in ist ja kann lang lange kein keine kosten kostet können man mehr mein meine mich mir mit nach nicht noch nur oder ob sag sage
  sagt schon sehr sein seine seit seite seiten sie sind so soll steht stehen such suche über um und uns unser unsere unter
  viel viele vom von vor war waren was wann warum wo welche welchem welchen welcher welches wenn wer werden wie wieso wird
  wir wissen zeig zeige zu zum zur preis preise teuer deutsch englisch website webseite
  au aux avec avez ce ces cet cette combien comment contient coûte coûtent dans de des du elle elles en est et il ils je la
  le les leur longtemps lui mais mes moi mon ne nos notre nous on ou où par pas pour pourquoi prix puis quand que quel quelle quelles
  quels qui quoi sa se ses si son sont sur un une vos votre vous y`.split(/\s+/),
)

/** Words of questions for which sites have another word. */
const synonyms: [pattern: RegExp, word: string][] = [
  [/\b(?:zurück(?:ge|zuge)?b\w*|zurück(?:zu)?schicken|umtausch\w*)/gi, 'Rückgabe'],
  [/\b(?:rendre|retourner|renvoyer)\b/gi, 'return'],
]

/** A question with the words that a site has for what it asks. */
export function inSiteWords(question: string): string {
  return synonyms.reduce((text, [pattern, word]) => text.replace(pattern, word), question)
}

/** Asks for a price. */
export const asksPrice =
  /\b(?:costs?|prices?|expensive|kostet|kosten|preise?|teuer|coûte|prix)\b|how much|wie ?viel|\bcombien/i

/** The words of a text that carry meaning, in their order and spelling. */
export function contentWords(text: string): string[] {
  return wordsOf(text).filter((word) => !stop.has(word.toLowerCase()))
}

function wordsOf(text: string): string[] {
  return (text.match(/[\p{L}\p{N}]+(?:[-'’][\p{L}\p{N}]+)*/gu) ?? []).map((word) =>
    word.replace(/['’]s$/, ''),
  )
}

/** Counts the words that a text has; compares only their beginnings, so that endings do not matter. */
export function overlap(words: string[], text: string): number {
  const stems = new Set(words.flatMap(parts).map(stem))
  const held = new Set(wordsOf(text).flatMap(parts).map(stem))
  return [...stems].filter((word) => held.has(word)).length
}

function parts(word: string): string[] {
  return word.split('-').filter((part) => part.length > 1)
}

function stem(word: string): string {
  const plain = word.toLowerCase().normalize('NFD').replace(/\p{M}/gu, '')
  return plain.length > 4 ? plain.replace(/(?:es|en|er|s|e|n)$/, '').slice(0, 7) : plain
}

const mostQueries = 4

/** The search queries, best first: quoted words, adjacent capitalised words, then single words, the longest first. */
export function queries(question: string): string[] {
  const quoted = [...question.matchAll(/["“„'‘]([^"“”„'’]{2,80})["”“'’]/g)].map(([, text = '']) => text)
  const runs = runsOf(question)
  const phrases = runs.filter((run) => run.length > 1).map((run) => run.join(' '))
  const words = runs.flat().flatMap((word) => [word, ...(word.includes('-') ? parts(word) : [])])
  const ranked = [...words].sort((a, b) => weight(b) - weight(a))
  const all = [...quoted, ...phrases, ...ranked, ...ranked.map(singular)].map((text) => text.trim())
  return [...new Set(all)].filter((text) => text.length > 1).slice(0, mostQueries)
}

/** Content words that are adjacent in the question. */
function runsOf(question: string): string[][] {
  const runs: string[][] = [[]]
  for (const part of question.split(/[.,;:!?()"“”„]+/)) {
    for (const word of wordsOf(part)) {
      if (stop.has(word.toLowerCase())) runs.push([])
      else runs.at(-1)?.push(word)
    }
    runs.push([])
  }
  return runs.filter((run) => run.length > 0)
}

function weight(word: string): number {
  return word.length + (/^\p{Lu}/u.test(word) ? 10 : 0)
}

function singular(word: string): string {
  return word.length > 4 ? word.replace(/(?<!s)s$/, '') : word
}
