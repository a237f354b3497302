import { textOf } from './item.ts'
import type { Pages } from './permission.ts'

/** The maximum number of characters of an address. */
const maxLength = 200

/**
 * Returns a unique address for a page. A wanted address that begins with a slash is used as a whole; any other wanted
 * address goes below the address of the parent page. If the result is taken, a number is appended.
 */
export function uniqueSlug(pages: Pages, page: { uid: number; pid: number; wanted: string }): string {
  const above = pages.get(page.pid)
  const base = above ? textOf(above, 'slug').replace(/\/$/, '') : ''
  const path = page.wanted.startsWith('/') ? page.wanted : `${base}/${page.wanted.replaceAll('/', '-')}`
  const whole = [...`/${path.split('/').map(segment).filter(Boolean).join('/')}`]
  const others = [...pages.values()].filter(({ uid }) => uid !== page.uid)
  const taken = new Set(others.map((row) => textOf(row, 'slug')))
  for (let count = 0; ; count++) {
    const suffix = count === 0 ? '' : `-${count}`
    const cut = whole.slice(0, maxLength - suffix.length).join('')
    const slug = `${cut.replace(/(?<=.)[-/]$/, '')}${suffix}`
    if (!taken.has(slug)) return slug
  }
}

const letters = new Map(
  Object.entries({
    ä: 'ae',
    ö: 'oe',
    ü: 'ue',
    ß: 'ss',
    æ: 'ae',
    œ: 'oe',
    ø: 'oe',
    å: 'aa',
    ł: 'l',
    đ: 'd',
    þ: 'th',
  }),
)

/**
 * Returns a segment of an address in NFC. Latin letters lose their accents; marks of other scripts stay, because they
 * belong to the words.
 */
function segment(text: string): string {
  return text
    .normalize('NFC')
    .toLowerCase()
    .replace(/\p{L}/gu, (letter) => letters.get(letter) ?? letter)
    .normalize('NFKD')
    .replace(/(\p{Script=Latin})\p{M}+/gu, '$1')
    .normalize('NFC')
    .replace(/[^\p{L}\p{M}\p{N}]+/gu, '-')
    .replace(/^-+|-+$/g, '')
}
