const schemes = new Set(['http:', 'https:', 'mailto:'])

/** A link that the user may follow. */
type Link = {
  href: string
  /** The host, or the address of a mail link. */
  to: string
  /** True if the link leads away from this site. */
  isForeign: boolean
}

/**
 * Returns the address of a link in an answer, as the browser would read it. Returns undefined unless the address is a
 * web page, a mail address or a page of this site.
 */
export function linkOf(href: string, here: string): Link | undefined {
  const url = parseLink(strip(decoded(href)), here)
  if (!url || !schemes.has(url.protocol)) return undefined
  if (url.username || url.password) return undefined
  // The query of a mail link could add recipients and words that the reader does not see.
  if (url.protocol === 'mailto:') return { href: `mailto:${url.pathname}`, to: url.pathname, isForeign: true }
  return { href: url.href, to: url.host, isForeign: url.origin !== new URL(here).origin }
}

/**
 * Returns the host to show after the text of a link. Null if the text is an address of the same host, or plain words
 * for a page of this site. Text that looks like another address is always followed by the host.
 */
export function hostToName({ to, isForeign }: Link, words: string): string | null {
  const text = words.trim()
  if (!isForeign && !/[.:@]\S/.test(text)) return null
  return hostIn(text) === to ? null : to
}

/** Returns the host of a text that is a web address in visible ASCII characters; returns a mail address unchanged. */
function hostIn(text: string): string | undefined {
  if (!/^[\x21-\x7e]+$/.test(text)) return undefined
  if (text.includes('@')) return text.replace(/^mailto:/i, '')
  return URL.parse(/^https?:\/\//i.test(text) ? text : `https://${text}`)?.host
}

/** Removes invisible characters: they hide a scheme from a check, but not from a browser. */
function strip(href: string): string {
  // Most addresses have only visible ASCII characters; this check needs no Unicode tables.
  if (/^[\x21-\x7e]*$/.test(href)) return href
  return href.replace(/\p{C}+/gu, '').trim()
}

function parseLink(href: string, here: string): URL | undefined {
  const isAbsolute = /^[a-z][a-z0-9+.-]*:/i.test(href)
  const isLocal = /^(?:\/(?![/\\])|#|\?)/.test(href)
  if (!isAbsolute && !isLocal) return undefined
  return URL.parse(href, here) ?? undefined
}

const characterNames = new Map(
  Object.entries({
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
  }),
)

/**
 * Replaces the named character references that occur in answers. The lexer has already replaced the numeric references.
 */
export function decoded(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(
    /&([a-z]{2,8});/gi,
    (whole, name: string) => characterNames.get(name.toLowerCase()) ?? whole,
  )
}
