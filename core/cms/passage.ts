/** Replaces one passage of a text; where the passage is not there exactly once, how often it is there. */
export function replaceOnce(
  text: string,
  { find, replace }: { find: string; replace: string },
): { text: string } | { found: number } {
  const parts = text.split(find)
  if (parts.length !== 2) return { found: parts.length - 1 }
  return { text: parts.join(replace) }
}
