import * as z from 'zod'
import type { MessagesAnswer } from '../../../core/chat/messages-request.ts'

/** Parses an answer of the poll that another tab gave; undefined where it has not the shape of this release. */
export async function parseAnswer(found: unknown): Promise<MessagesAnswer | undefined> {
  // Before any schema is made: zod would compile code from text, which a strict page forbids and reports.
  z.config({ jitless: true })
  const schemas = await import('../../../core/chat/messages-request.ts')
  return schemas.MessagesAnswer.safeParse(found).data
}
