import * as z from 'zod'
import type { MessagesAnswer } from '../../../core/chat/messages-request.ts'

/** Parses a poll answer from another tab; undefined if it does not have the form of this release. */
export async function parseAnswer(found: unknown): Promise<MessagesAnswer | undefined> {
  // Set before any schema is created: zod would compile code from text, which a strict CSP blocks and reports.
  z.config({ jitless: true })
  const schemas = await import('../../../core/chat/messages-request.ts')
  return schemas.MessagesAnswer.safeParse(found).data
}
