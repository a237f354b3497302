import type { Cms } from '../../core/cms/cms.ts'
import type { CmsRecord } from '../../core/cms/schema.ts'

/** The CMS with the lists of its content elements as lists of parts, each line with its number as its id. */
export function withParts(cms: Cms): Cms {
  const capabilities = async () => ({ ...(await cms.capabilities()), parts: true })
  return {
    ...cms,
    capabilities,
    async opening(uid, open, table) {
      const opening = await cms.opening(uid, open, table)
      return opening && { ...opening, capabilities: await capabilities() }
    },
    async record(actor, question) {
      const record = await cms.record(actor, question)
      return record && inParts(record)
    },
    put: (actor, question) => cms.put(actor, { ...question, put: inLines(question.put) }),
  }
}

function inParts(record: CmsRecord): CmsRecord {
  const { type, body } = record.fields
  if (type !== 'list' || typeof body !== 'string') return record
  const parts = body.split('\n').map((text, at) => ({ id: String(at + 1), text }))
  return { ...record, fields: { ...record.fields, body: parts } }
}

function inLines<P extends { fields?: Record<string, unknown> | undefined }>(put: P): P {
  const body = put.fields?.body
  if (!Array.isArray(body)) return put
  const lines = body.map((part: unknown) =>
    part && typeof part === 'object' && 'text' in part ? part.text : part,
  )
  return { ...put, fields: { ...put.fields, body: lines.join('\n') } }
}
