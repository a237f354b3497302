import { Parser } from 'htmlparser2'

/**
 * Removes from HTML everything that runs, loads or sends something, as WordPress and Payload do when they store a text.
 * Libraries for this also rewrite the rest of a text. This function does not, so a person who approves a change sees
 * only real differences. Browsers show the HTML of this CMS only as text, so their safety does not depend on this.
 */

/** Elements that are removed with their content. */
const forbidden = new Set(
  'script style iframe object embed applet frame frameset noframes noembed noscript template svg math form input button textarea select option meta link base title plaintext xmp listing'.split(
    ' ',
  ),
)
/** Attributes that hold an address. */
const addressed = new Set('href src action poster background cite data longdesc'.split(' '))
const schemes = new Set(['http', 'https', 'mailto', 'tel', 't3'])
/** Limit of passes over a text: no person writes text in which each removal joins parts into a new element. */
const mostPasses = 5

/** Returns the HTML without anything that runs, loads or sends. */
export function clean(html: string): string {
  let text = html
  for (let pass = 0; pass < mostPasses; pass++) {
    const cleaned = once(text)
    if (cleaned === text) return text
    text = cleaned
  }
  return text.replaceAll('<', '&lt;')
}

/** Makes one pass over the text; a removal may join other parts into a new element. */
function once(html: string): string {
  const kept: string[] = []
  let from = 0
  let open: { name: string; at: number; depth: number } | undefined
  const replace = (start: number, end: number, by = '') => {
    kept.push(html.slice(from, start), by)
    from = end
  }
  const parser = new Parser({
    onopentag(name, attributes) {
      if (open) {
        if (name === open.name) open.depth++
      } else if (!isPlain(name) || forbidden.has(name)) open = { name, at: parser.startIndex, depth: 1 }
      else {
        const entries = Object.entries(attributes)
        const safe = entries.filter(([name, value]) => isSafe(name, value))
        if (safe.length < entries.length) replace(parser.startIndex, parser.endIndex + 1, tagOf(name, safe))
      }
    },
    onclosetag(name) {
      if (name !== open?.name || --open.depth > 0) return
      replace(open.at, parser.endIndex + 1)
      open = undefined
    },
    oncomment(text) {
      if (!open && /[<>]/.test(text)) replace(parser.startIndex, parser.endIndex + 1)
    },
    onprocessinginstruction() {
      if (!open) replace(parser.startIndex, parser.endIndex + 1)
    },
  })
  parser.end(html)
  return kept.join('') + html.slice(open ? html.length : from)
}

const isPlain = (name: string) => /^[a-z][a-z0-9:-]*$/.test(name)

function isSafe(name: string, value: string): boolean {
  if (!isPlain(name) || name.startsWith('on') || name === 'style' || name === 'srcdoc' || name === 'srcset')
    return false
  if (!addressed.has(name)) return !name.endsWith(':href')
  // Browsers ignore spaces and control characters in an address.
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is left out
  const address = value.replace(/[\u0000-\u0020]+/g, '').toLowerCase()
  const scheme = /^([^/?#:]*):/.exec(address)?.[1]
  return scheme === undefined || schemes.has(scheme)
}

function tagOf(name: string, attributes: [string, string][]): string {
  const escaped = (value: string) => value.replaceAll('&', '&amp;').replaceAll('"', '&quot;')
  return `<${[name, ...attributes.map(([name, value]) => `${name}="${escaped(value)}"`)].join(' ')}>`
}
