/**
 * Characters that no reader sees and that can only deceive. What has a use stays: joiners of emoji and of Persian, marks
 * and isolates of a direction, variation selectors, soft hyphens. People see those marked when they decide on a change.
 */

/** Letters of ASCII that no font draws (U+E0000 to U+E007F). They write to a model what no person reads. */
const tag = /[\u{e0000}-\u{e007f}]+/gu
/** The one use of tags that Unicode recommends: the flags of England, Scotland and Wales. */
const flag =
  /(\u{1f3f4}\u{e0067}\u{e0062}(?:\u{e0065}\u{e006e}\u{e0067}|\u{e0073}\u{e0063}\u{e0074}|\u{e0077}\u{e006c}\u{e0073})\u{e007f})/u
/** Overrides turn the order of letters around (U+202D, U+202E). */
const override = /[\u202d\u202e]/

/** The text without tag characters, flags aside. */
export function withoutTags(text: string): string {
  if (text.search(tag) < 0) return text
  return text
    .split(flag)
    .map((part, at) => (at % 2 === 1 ? part : part.replace(tag, '')))
    .join('')
}

/** In words for the model, which characters of the text would deceive a reader; undefined where there are none. */
export function deceiving(text: string): string | undefined {
  const found = [
    ...(withoutTags(text) === text ? [] : ['tag characters (U+E0000 to U+E007F)']),
    ...(override.test(text) ? ['direction overrides (U+202D, U+202E)'] : []),
  ]
  return found.length > 0 ? found.join(' and ') : undefined
}
