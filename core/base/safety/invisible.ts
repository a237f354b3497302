/**
 * Finds and removes characters that no reader sees and that only deceive. Useful characters stay: joiners of emoji and
 * of Persian, direction marks and isolates, variation selectors, soft hyphens. When people decide on a change, the
 * interface marks the useful characters outside of emoji.
 */

/** ASCII letters that no font draws (U+E0000 to U+E007F). A model reads them, a person does not see them. */
const tag = /[\u{e0000}-\u{e007f}]+/gu
/** The one use of tags that Unicode recommends: the flags of England, Scotland and Wales. */
const flag =
  /(\u{1f3f4}\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f})/u
/** Overrides reverse the order of letters (U+202D, U+202E). */
const override = /[\u202d\u202e]/

/** Returns the text without tag characters, except in flags. */
export function withoutTags(text: string): string {
  if (text.search(tag) < 0) return text
  return text
    .split(flag)
    .map((part, at) => (at % 2 === 1 ? part : part.replace(tag, '')))
    .join('')
}

/** Returns the text without blanks around it; empty if a reader sees no character of it. */
export function trimUnseen(text: string): string {
  return /[^\s\p{Cc}\p{Default_Ignorable_Code_Point}\u2800]/u.test(text) ? text.trim() : ''
}

/** Works like `trimUnseen`, and replaces white space and control characters by single blanks. */
export const foldToLine = (text: string): string => trimUnseen(text.replace(/[\s\p{Cc}]+/gu, ' '))

/** Names the deceiving characters of a text for the model; undefined if there are none. */
export function nameDeceiving(text: string): string | undefined {
  const found = [
    ...(withoutTags(text) === text ? [] : ['tag characters (U+E0000 to U+E007F)']),
    ...(override.test(text) ? ['direction overrides (U+202D, U+202E)'] : []),
  ]
  return found.length > 0 ? found.join(' and ') : undefined
}

/** Returns the text for a terminal: control characters and invisible characters become JSON escapes. */
export function escapeUnprintable(text: string): string {
  return text.replace(/[^\P{C}\t\n]|[\p{Zl}\p{Zp}]/gu, (character) =>
    Array.from(
      { length: character.length },
      (_, at) => `\\u${character.charCodeAt(at).toString(16).padStart(4, '0')}`,
    ).join(''),
  )
}

/** Returns the text cut to `length` characters, with an ellipsis for the rest. */
export function cut(text: string, length: number): string {
  const characters = [...text]
  return characters.length <= length ? text : `${characters.slice(0, length - 1).join('')}…`
}
