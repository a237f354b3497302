import { validate } from '../../../../core/model/wire/validate.ts'

/** Builders of requests to the Messages API, right and wrong ones. */

export type Body = Record<string, unknown>
type Block = Record<string, unknown>

export const model = 'claude-sonnet-5-5'
export const user = (...content: Block[]) => ({ role: 'user', content })
export const assistant = (...content: Block[]) => ({ role: 'assistant', content })
export const text = (words = 'Hello', more: Body = {}) => ({ type: 'text', text: words, ...more })
export const use = (id: string, more: Body = {}) => ({
  type: 'tool_use',
  id,
  name: 'get_record',
  input: {},
  ...more,
})
export const result = (id: string, more: Body = {}) => ({
  type: 'tool_result',
  tool_use_id: id,
  content: 'x',
  ...more,
})
export const image = (media_type: string, data: string) => ({
  type: 'image',
  source: { type: 'base64', media_type, data },
})
export const pdf = (data: string, media_type = 'application/pdf') => ({
  type: 'document',
  source: { type: 'base64', media_type, data },
})
/** A PDF as far as the validator looks into one. */
export const pages = (count: number, more = '') =>
  Buffer.from(`%PDF-1.7\n${'<< /Type /Page >>\n'.repeat(count)}${more}%%EOF`).toString('base64')

/** A request with these messages, else with one that says hello. */
export function body(more: Body = {}, ...messages: unknown[]): Body {
  return { model, max_tokens: 100, messages: messages.length > 0 ? messages : [user(text())], ...more }
}

/** What the validator says to a request. */
export function verdict(request: unknown): string {
  const found = validate(request)
  return found.ok ? 'accepted' : found.refusal.message
}
