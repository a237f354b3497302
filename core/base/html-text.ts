import { Parser } from 'htmlparser2'

/** Elements whose content a page does not show. */
const unread = new Set([
  'script',
  'style',
  'template',
  'noscript',
  'head',
  'title',
  'svg',
  'iframe',
  'object',
])
const blocks = new Set(
  'address article aside blockquote dd details div dl dt figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr main nav ol p pre section summary table tbody thead tr ul'.split(
    ' ',
  ),
)

/**
 * Maximum nesting of elements. Real pages do not nest deeper, and the parser's time grows with the square of the depth.
 */
const maxDepth = 500
const tooDeep = '\n[The rest is not read: its elements are nested too deeply.]'

/** The type of `textOf`. Tools import the function only when they run, so that listing the tools loads no parser. */
export type TextOf = typeof textOf

/**
 * Extracts the text that a person would read from HTML: paragraphs, list items, cells and link targets, without markup.
 * At the first element that is nested in 500 others, it drops the rest and adds a note.
 */
export function textOf(html: string): string {
  const out: string[] = []
  const links: (string | undefined)[] = []
  let hidden = 0
  let depth = 0
  const parser = new Parser({
    onopentag(name, attributes) {
      depth++
      if (depth > maxDepth) parser.pause()
      if (unread.has(name)) hidden++
      if (name === 'a') links.push(target(attributes.href))
      out.push(before(name, attributes))
    },
    ontext(text) {
      if (hidden === 0) out.push(text.replace(/\s+/g, ' '))
    },
    onclosetag(name) {
      depth--
      if (unread.has(name)) hidden--
      const link = name === 'a' ? links.pop() : undefined
      if (link) out.push(` (${link})`)
      if (blocks.has(name)) out.push('\n')
    },
  })
  parser.write(html.includes('<') ? html : html.replace(/\r?\n/g, '<br>'))
  if (depth > maxDepth) out.push(tooDeep)
  else parser.end()
  return tidy(out.join(''))
}

function before(name: string, attributes: Record<string, string>): string {
  if (name === 'li') return '\n- '
  if (name === 'td' || name === 'th') return ' | '
  if (name === 'img' && attributes.alt) return `[image: ${attributes.alt}]`
  return name === 'br' || blocks.has(name) ? '\n' : ''
}

/** Returns the address of a link; undefined for scripts and embedded data. */
function target(href: string | undefined): string | undefined {
  return href && /^(?:https?:|mailto:|tel:|\/)/i.test(href) ? href : undefined
}

function tidy(text: string): string {
  const lines = text.split('\n').map((line) => line.replace(/[ \t\u00a0]+/g, ' ').trim())
  return lines
    .filter((line, at) => line !== '' || lines[at - 1] !== '')
    .join('\n')
    .trim()
}
