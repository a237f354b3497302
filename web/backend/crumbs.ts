import { html, type TemplateResult } from 'lit'
import type { RecordId } from '../../core/conversation/schema.ts'
import { icon } from './icon.ts'
import { format } from './route.ts'
import { t } from './text.ts'

/**
 * The path from the root to the shown page or record. Pages link into the open module; the last part is the current
 * one.
 */
export function crumbs(
  pages: { uid: RecordId; title: string }[],
  module: 'page' | 'list',
  leaf?: string,
): TemplateResult {
  const above = leaf === undefined ? pages.slice(0, -1) : pages
  const last = leaf ?? pages.at(-1)?.title ?? ''
  return html`<nav class="crumbs" aria-label=${t('frame.path')}>
    ${above.map((page) => html`<a href=${href(page.uid, module)} dir="auto">${page.title}</a>${icon('right', 'i-d')}`)}
    <span aria-current="page" dir="auto">${last}</span>
  </nav>`
}

function href(page: RecordId, module: 'page' | 'list'): string {
  if (module === 'page') return format({ module, page, isEditing: false })
  return format({ module, table: null, page, offset: 0 })
}
