const schemes = new Set(['http:', 'https:', 'mailto:'])

/** A link that may be followed: its address, and the host to name when it leads elsewhere. */
export type Link = { href: string; host: string | null }

/**
 * The address of a link in an answer; undefined for whatever is no web page, mail address or place on this site, as
 * the browser itself would read it.
 */
export function linkOf(href: string, here: string): Link | undefined {
  const url = parse(strip(decoded(href)), here)
  if (!url || !schemes.has(url.protocol)) return undefined
  if (url.username || url.password) return undefined
  if (url.protocol === 'mailto:') return { href: url.href, host: null }
  const isForeign = url.origin !== new URL(here).origin
  return { href: url.href, host: isForeign ? url.host : null }
}

/** Characters that nobody sees are what hides a scheme from a check and not from a browser. */
function strip(href: string): string {
  // Most have none: whoever looks for them alone need not know all of Unicode.
  if (/^[\x21-\x7e]*$/.test(href)) return href
  return href.replace(/[\p{C}\p{Z}]+/gu, '')
}

function parse(href: string, here: string): URL | undefined {
  const isAbsolute = /^[a-z][a-z0-9+.-]*:/i.test(href)
  const isLocal = /^(?:\/(?![/\\])|#|\?)/.test(href)
  if (!isAbsolute && !isLocal) return undefined
  return URL.parse(href, here) ?? undefined
}

const names: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
  ndash: '–',
  mdash: '—',
  hellip: '…',
  euro: '€',
  copy: '©',
  reg: '®',
  times: '×',
  rarr: '→',
  larr: '←',
}

/** Text with the named character references resolved that answers contain; the lexer has resolved the numbers. */
export function decoded(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(/&([a-z]{2,8});/gi, (whole, name: string) => names[name.toLowerCase()] ?? whole)
}
