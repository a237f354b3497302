import type { Capabilities } from '../cms/capabilities.ts'
import type { CmsRecord } from '../cms/schema.ts'

/** Reads links within the website, and compares them with the addresses that the CMS gives for its records. */

/** The types of the CMS that links name, and the origins of its website. */
type Website = Pick<Capabilities, 'addresses' | 'tree'>

/** The target of a link: a record by its id, or an address of the website with its query. */
export type Target = { type: string | undefined; uid: string } | { address: string }

/** Reads the target of a link in a text; undefined if the link leaves the website. */
export function targetOf({ addresses, tree }: Website, link: string): Target | undefined {
  const href = link.replaceAll('&amp;', '&')
  const [, kind = '', query = ''] = href.match(/^t3:\/\/(page|file|record)\?(.*)$/i) ?? []
  if (kind) {
    const asked = new URLSearchParams(query)
    const named = kind === 'file' ? 'sys_file' : asked.get('identifier')
    const type = kind === 'page' ? tree?.pages : named
    return { type: type ?? undefined, uid: asked.get('uid') ?? '' }
  }
  return addresses && isWithin(addresses.origins, href) ? { address: href } : undefined
}

/** Compares hosts alone: an http link also leads to an https site. */
function isWithin(origins: readonly string[], href: string): boolean {
  if (/^\/(?!\/)/.test(href)) return true
  if (!/^(?:https?:)?\/\//i.test(href)) return false
  const host = URL.parse(href, 'http://site.invalid')?.host
  return origins.some((origin) => URL.parse(origin)?.host === host)
}

/** The parameters by which addresses name records: `page_id` of `/?page_id=6`. */
export function parametersIn(addresses: readonly string[]): Set<string> {
  return new Set(addresses.flatMap((address) => [...(parse(address)?.searchParams.keys() ?? [])]))
}

/**
 * Reduces an address to the parts that identify a page: the path without host, fragment and trailing slash, and the
 * parameters that name a record. The home page is `/`.
 */
export function placeOf(address: string, parameters: ReadonlySet<string>): string {
  const { pathname = address, searchParams } = parse(address) ?? {}
  const path = decoded(pathname).replace(/\/+$/, '').toLowerCase() || '/'
  const naming = [...(searchParams ?? [])].filter(([name]) => parameters.has(name))
  return naming.length === 0 ? path : `${path}?${new URLSearchParams(naming)}`
}

/** True if the link leads to this record. */
export function leadsTo(target: Target, { table, uid, addresses }: CmsRecord): boolean {
  if ('uid' in target) return target.type === table && target.uid === String(uid)
  const parameters = parametersIn(addresses)
  const place = placeOf(target.address, parameters)
  return addresses.some((address) => placeOf(address, parameters) === place)
}

const parse = (address: string) => URL.parse(address, 'http://site.invalid')

function decoded(path: string): string {
  try {
    return decodeURI(path)
  } catch {
    return path
  }
}
