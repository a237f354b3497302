import { sentences } from './reading.ts'
import type { Attachment, Situation } from './situation.ts'
import { brief, named, pickWords, quote } from './speech.ts'
import { contentWords, overlap } from './terms.ts'

/** Describes each attachment without understanding it: its length, its beginning, matching sentences. */
export function aboutAttachments(s: Situation): string {
  return s.attachments.map((attachment) => describeFile(attachment, s)).join('\n\n')
}

function describeFile(attachment: Attachment, s: Situation): string {
  const { lang, say } = s
  if ('about' in attachment) {
    return say`The attachment is ${attachment.about}. This demo is a fixed script and does not see what it shows.`
  }
  if ('missing' in attachment) {
    const { name, missing } = attachment
    return say`${named(lang, name)} was not handed on: ${missing}.`
  }
  const { name, text } = attachment
  const length = [...text].length
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const head = pickWords(lang, {
    en: `The text of ${named(lang, name)} has ${length} characters in ${lines.length} ${lines.length === 1 ? 'line' : 'lines'}. It begins:`,
    de: `Der Text von ${named(lang, name)} hat ${length} Zeichen in ${lines.length} ${lines.length === 1 ? 'Zeile' : 'Zeilen'}. Er beginnt so:`,
    fr: `Le texte de ${named(lang, name)} a ${length} caractères en ${lines.length} ${lines.length === 1 ? 'ligne' : 'lignes'}. Il commence ainsi\u202f:`,
  })
  const begins = `${head}\n\n${quote(lines.slice(0, 3).map((line) => brief(line)))}`
  const fitting = matches(text, s.question)
  if (fitting.length === 0) return begins
  const also = say`These sentences share words with your message:`
  return `${begins}\n\n${also}\n\n${quote(fitting)}`
}

function matches(text: string, question: string): string[] {
  const words = contentWords(question)
  const scored = sentences(text).map((sentence) => ({ sentence, score: overlap(words, sentence) }))
  const top = Math.max(0, ...scored.map(({ score }) => score))
  if (top === 0) return []
  return scored
    .filter(({ score }) => score === top)
    .slice(0, 3)
    .map(({ sentence }) => brief(sentence))
}
