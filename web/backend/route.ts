/** The addresses of the backend: parses an address into the place that it names, and formats a place as an address. */

import type { RecordId } from '../../core/conversation/schema.ts'

/** The place of a page. If `page` is null, the shell chooses the page. */
export type PagePlace = { module: 'page'; page: RecordId | null; isEditing: boolean }

/** The place of a list of records: of all tables if `table` is null, of all pages if only `page` is null. */
export type ListPlace = { module: 'list'; table: string | null; page: RecordId | null; offset: number }

/** A place in the backend: a module and its parameters. */
export type BackendPlace =
  | PagePlace
  | ListPlace
  | { module: 'record'; table: string; uid: RecordId }
  | { module: 'log' | 'usage' }
  | { module: 'chat'; conversationId: string | null }

export type ModuleName = Exclude<BackendPlace['module'], 'record'>

/** Returns the module that the menu marks as open at a place. */
export function moduleOf(place: BackendPlace): ModuleName {
  return place.module === 'record' ? 'list' : place.module
}

/** Returns the place of an address; the start of the backend for an address that names no place. */
export function parseAddress({ pathname, search }: Pick<URL, 'pathname' | 'search'>): BackendPlace {
  const [, , module, first, second] = pathname.split('/').map(decodePart)
  const query = new URLSearchParams(search)
  const uid = number(second)
  switch (module) {
    case 'list':
      if (first && uid !== null) return { module: 'record', table: first, uid }
      return {
        module,
        table: first || null,
        page: number(query.get('page')),
        offset: number(query.get('from')) ?? 0,
      }
    case 'log':
    case 'usage':
      return { module }
    case 'chat':
      return { module, conversationId: first || null }
    default:
      return { module: 'page', page: number(first), isEditing: second === 'edit' && number(first) !== null }
  }
}

/** Returns the address of a place. */
export function addressOf(place: BackendPlace): string {
  switch (place.module) {
    case 'page':
      return join('page', place.page, place.isEditing ? 'edit' : null)
    case 'list':
      return join('list', place.table) + query({ page: place.page, from: place.offset || null })
    case 'record':
      return join('list', place.table, place.uid)
    case 'chat':
      return join('chat', place.conversationId)
    default:
      return join(place.module)
  }
}

function join(...parts: (string | number | null)[]): string {
  const given = parts.filter((part) => part !== null)
  return ['/backend', ...given.map((part) => encodeURIComponent(part))].join('/')
}

function query(values: Record<string, RecordId | null>): string {
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
