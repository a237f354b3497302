import type { LeftOut } from '../document/schema.ts'
import { fence } from '../safety/fence.ts'
import { type Absent, absentWords, leftOutWords } from '../transcript/not-used.ts'

/**
 * A note in the place of a file. The name stands inside the fence alone, because it is written by strangers as well.
 */
export function note(state: Absent, nonce: string, name: string): string {
  const sentence = `The file that the user attached here is not included: ${absentWords[state].en}. Tell the user so.`
  return `[Note of the system: ${sentence}]\n${fence(nonce, name, '(not included)')}`
}

/** The text of a document, fenced, with a note that says what is missing of it. */
export function textOf(
  { isWhole, leftOut }: { isWhole: boolean; leftOut: readonly LeftOut[] },
  nonce: string,
  name: string,
  text: string,
): string {
  const what = 'The user attached this file here; its text was extracted'
  const extent = isWhole ? 'and is complete' : 'and only its beginning is included'
  const lacks = leftOut.map((kind) => leftOutWords[kind].en).join('; ')
  const left = lacks === '' ? '' : `. Left out of it: ${lacks}`
  const tell = isWhole && lacks === '' ? '' : '. Tell the user so where it matters'
  return `[Note of the system: ${what} ${extent}${left}${tell}.]\n${fence(nonce, name, text)}`
}
