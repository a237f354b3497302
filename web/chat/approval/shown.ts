import { html } from 'lit'
import type { View } from '../view/view.ts'
import { withHidden } from './hidden.ts'

/**
 * A text of a proposal as a person can judge it: each character that is not seen is a mark with its name. The mark
 * holds the name as its text, so that a copy of the card carries no hidden character on.
 */
export function shown({ t }: View, text: string): unknown {
  const parts = withHidden(text)
  if (parts.length === 1 && parts[0] === text) return text
  return parts.map((part) => {
    if (typeof part === 'string') return part
    const { kind, code, count } = part
    const words = t(`hidden.${kind}`, { code, count })
    const short = count > 1 && kind !== 'tag' ? `${code} ×${count}` : code
    return html`<span class="unseen" role="img" dir="ltr" title=${words} aria-label=${words}>${short}</span>`
  })
}

/**
 * A title of the service, as `shown`: the narrow space that French has beside these marks stays what it is, because the
 * words of the service are written with it.
 */
export function shownTitle(view: View, title: string): unknown {
  return title.split(/(«\u202f|\u202f(?=[»;:!?]))/).map((part, at) => (at % 2 ? part : shown(view, part)))
}
