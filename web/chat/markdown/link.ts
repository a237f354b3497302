const schemes = new Set(['http:', 'https:', 'mailto:'])

/** A link that may be followed. */
type Link = {
  href: string
  /** Its host, or the address of a mail. */
  to: string
  /** It leads away from this site. */
  isForeign: boolean
}

/**
 * The address of a link in an answer, as the browser itself would read it; undefined unless it is a web page, a mail
 * address or a page of this site.
 */
export function linkOf(href: string, here: string): Link | undefined {
  const url = parseLink(strip(decoded(href)), here)
  if (!url || !schemes.has(url.protocol)) return undefined
  if (url.username || url.password) return undefined
  if (url.protocol === 'mailto:') return { href: url.href, to: url.pathname, isForeign: false }
  return { href: url.href, to: url.host, isForeign: url.origin !== new URL(here).origin }
}

/**
 * The host to show after the text of a link. Null if the text is an address of the same host, or plain words for a page
 * of this site. Text that looks like another address never appears without the host.
 */
export function hostToName({ to, isForeign }: Link, words: string): string | null {
  const text = words.trim()
  if (!isForeign && !/[.:@]\S/.test(text)) return null
  return hostIn(text) === to ? null : to
}

/** The host of a text that is an address, and nothing but visible characters of ASCII; a mail address itself. */
function hostIn(text: string): string | undefined {
  if (!/^[\x21-\x7e]+$/.test(text)) return undefined
  if (text.includes('@')) return text.replace(/^mailto:/i, '')
  return URL.parse(/^https?:\/\//i.test(text) ? text : `https://${text}`)?.host
}

/** Invisible characters hide a scheme from a check, but not from a browser. */
function strip(href: string): string {
  // Most texts have none of them: a search for these alone needs no table of all of Unicode.
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

/** Text with the named character references resolved that answers contain; the lexer has resolved the numbers. */
export function decoded(text: string): string {
  if (!text.includes('&')) return text
  return text.replace(
    /&([a-z]{2,8});/gi,
    (whole, name: string) => characterNames.get(name.toLowerCase()) ?? whole,
  )
}
