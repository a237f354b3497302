/** One entry of a transcript that every measured system of a comparison gets. */
export type Said = { role: 'user' | 'assistant'; content: string }

const words = (
  'page record backend module editor content element language workspace cache exception log status tool field ' +
  'translation publish draft permission group folder image table header link visible hidden author date version'
).split(' ')

/** Returns a function that makes a text of `length` words. Every speaker makes the same sequence of texts. */
export function speaker(): (length: number) => string {
  let seed = 42
  const word = () => {
    seed = (seed * 1_664_525 + 1_013_904_223) >>> 0
    return words[Math.floor((seed / 2 ** 32) * words.length)]
  }
  return (length) => Array.from({ length }, word).join(' ')
}

/**
 * Returns a transcript of `length` messages of about 250 characters, alternately by user and assistant; the same at
 * every call.
 */
export function transcript(length: number): Said[] {
  const some = speaker()
  return Array.from({ length }, (_, at) => ({ role: at % 2 === 0 ? 'user' : 'assistant', content: some(36) }))
}
