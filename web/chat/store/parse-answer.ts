import './no-eval.ts'
import { MessagesAnswer } from '../../../core/chat/messages-request.ts'

/** Parses an answer of the poll that another tab gave; undefined where it has not the shape of this release. */
export function parseAnswer(found: unknown): MessagesAnswer | undefined {
  return MessagesAnswer.safeParse(found).data
}
