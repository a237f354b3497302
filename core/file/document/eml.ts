import { isUtf8 } from 'node:buffer'
import PostalMime, { type Address } from 'postal-mime'
import { textOf } from '../../base/html-text.ts'
import { fromText, type Limits, leftOutOf, oneLine, paragraphs } from './excerpt.ts'
import type { Extraction } from './schema.ts'

/** Limits for the parts of a mail; deeper nesting is an attack on the parser. */
const limitsOfParts = { maxNestingDepth: 50, maxHeadersSize: 1_048_576 }

/**
 * Returns the header lines of a mail, its text and the names of its attachments. For a mail in HTML only, the text is
 * the visible text. Only for use in the sandbox.
 */
export async function readEml(bytes: Uint8Array, limits: Limits): Promise<Extraction> {
  const mail = await PostalMime.parse(inUtf8(bytes), limitsOfParts)
  const head = [
    line('From', addresses([mail.from ?? []].flat())),
    line('To', addresses(mail.to ?? [])),
    line('Cc', addresses(mail.cc ?? [])),
    line('Date', mail.date ?? ''),
    line('Subject', mail.subject ?? ''),
  ]
  const body = (mail.text ?? '').trim() || textOf(mail.html ?? '')
  const files = mail.attachments.map(
    ({ filename, mimeType }) => `- ${oneLine(filename ?? 'Unnamed')} (${mimeType})`,
  )
  const attached = files.length === 0 ? '' : ['## Attachments', '', ...files].join('\n')
  const text = paragraphs(head.filter((part) => part !== '').join('\n'), body, attached).replaceAll('\0', '')
  const isPicture = ({ mimeType }: { mimeType: string }) => mimeType.startsWith('image/')
  const leftOut = leftOutOf({
    pictures: mail.attachments.some(isPicture),
    embeddedFiles: mail.attachments.some((file) => !isPicture(file)),
  })
  return fromText(text, limits, leftOut)
}

/** Returns a mail in UTF-8: old programs write Windows-1252 and name no charset. */
function inUtf8(bytes: Uint8Array): Uint8Array {
  if (isUtf8(bytes) || /charset=/i.test(Buffer.from(bytes).toString('latin1'))) return bytes
  return new TextEncoder().encode(new TextDecoder('windows-1252').decode(bytes, { stream: true }))
}

function line(name: string, value: string): string {
  return value === '' ? '' : `${name}: ${oneLine(value)}`
}

function addresses(list: readonly Address[]): string {
  return list
    .flatMap((one) => (one.group ? one.group : [one]))
    .map(({ name, address }) => (name && address ? `${name} <${address}>` : name || address || ''))
    .filter((one) => one !== '')
    .join(', ')
}
