import type { Move } from './task.ts'

/** A move that calls one tool. */
export const calling = (name: string, args: Record<string, unknown> = {}): Move => ({
  calls: [{ name, arguments: args }],
})

/** A move that makes the calls of several moves at once. */
export const together = (...moves: Move[]): Move => ({ calls: moves.flatMap(({ calls = [] }) => calls) })

/** The move that ends a turn. */
export const saying = (text: string): Move => ({ text })

/** Reads a page with its content. */
export const reading = (page: number): Move => calling('get_page_content', { page })

/** Proposes new values for fields of a record. */
export const changing = (table: string, uid: number, fields: Record<string, unknown>): Move =>
  calling('update_record', { table, uid, fields })
