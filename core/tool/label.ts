import type { Preview } from '../conversation/schema.ts'
import { inLanguage } from '../language.ts'
import { find } from './tools.ts'

/** What a person reads for a tool, in English where the language is not known; the name itself for an unknown tool. */
export function title(tool: string, lang: string): string {
  const known = find(tool)
  return known ? inLanguage(known.title, lang) : tool
}

/** The heading over a pending call: what it would do to what. */
export function approvalTitle(tool: string, preview: Preview | null, lang: string): string {
  if (!preview) return title(tool, lang)
  const german = lang === 'de'
  const name = german ? `„${preview.label}“` : `“${preview.label}”`
  if (tool === 'create_page_draft')
    return german ? `Versteckte Seite ${name} anlegen` : `Create hidden page ${name}`
  if (tool === 'create_content_draft')
    return german ? `Verstecktes Inhaltselement ${name} anlegen` : `Create hidden content element ${name}`
  if (tool !== 'update_record') return `${title(tool, lang)}: ${name}`
  const fields = preview.changes.length
  if (german) return `${fields} ${fields === 1 ? 'Feld' : 'Felder'} von ${name} ändern`
  return `Change ${fields} ${fields === 1 ? 'field' : 'fields'} of ${name}`
}
