import type { RecordId } from '../../core/conversation/schema.ts'
/** The addresses of the backend: parses an address into the place that it names, and formats a place as an address. */

export type ModuleName = 'page' | 'list' | 'log' | 'usage' | 'chat'

/** A place in the backend: a module and its parameters. The module chooses the value of a parameter that is `null`. */
export type BackendPlace =
  | { module: 'page'; page: RecordId | null; isEditing: boolean }
  | { module: 'list'; table: string | null; page: RecordId | null; offset: number }
  | { module: 'record'; table: string; uid: RecordId }
  | { module: 'log' }
  | { module: 'usage' }
  | { module: 'chat'; conversationId: string | null }

/** Returns the module that the menu marks for a place. */
export function moduleOf(place: BackendPlace): ModuleName {
  return place.module === 'record' ? 'list' : place.module
}

/** Returns the place of an address; any address that is not of the backend leads to its start. */
export function parseAddress(address: Pick<URL, 'pathname' | 'search'>): BackendPlace {
  const [, , module, first, second] = address.pathname.split('/').map(decodePart)
  const query = new URLSearchParams(address.search)
  switch (module) {
    case 'list':
      return parseListPlace(first, second, query)
    case 'log':
      return { module: 'log' }
    case 'usage':
      return { module: 'usage' }
    case 'chat':
      return { module: 'chat', conversationId: first || null }
    default:
      return { module: 'page', page: number(first), isEditing: second === 'edit' && number(first) !== null }
  }
}

function parseListPlace(
  table: string | undefined,
  uid: string | undefined,
  query: URLSearchParams,
): BackendPlace {
  const record = number(uid)
  if (table && record !== null) return { module: 'record', table, uid: record }
  return {
    module: 'list',
    table: table || null,
    page: number(query.get('page')),
    offset: number(query.get('from')) ?? 0,
  }
}

/** Returns the address of a place. */
export function format(place: BackendPlace): string {
  switch (place.module) {
    case 'page':
      return join('page', place.page, place.isEditing ? 'edit' : null)
    case 'list':
      return join('list', place.table) + search({ page: place.page, from: place.offset || null })
    case 'record':
      return join('list', place.table, place.uid)
    case 'log':
      return join('log')
    case 'usage':
      return join('usage')
    case 'chat':
      return join('chat', place.conversationId)
  }
}

function join(...parts: (string | number | null)[]): string {
  const given = parts.filter((part) => part !== null)
  return ['/backend', ...given.map((part) => encodeURIComponent(part))].join('/')
}

function search(values: Record<string, RecordId | null>): string {
  const given = Object.entries(values).flatMap(([name, value]) =>
    value === null ? [] : [`${name}=${value}`],
  )
  return given.length > 0 ? `?${given.join('&')}` : ''
}

function number(text: string | null | undefined): number | null {
  return text && /^[1-9][0-9]{0,14}$/.test(text) ? Number(text) : null
}

function decodePart(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}
