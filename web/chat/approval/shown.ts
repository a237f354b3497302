import { html } from 'lit'
import type { View } from '../view/view.ts'
import { withHidden } from './hidden.ts'

/**
 * A text of a proposal that a person can judge: each invisible character is a mark with its name. The mark's text is
 * the name, so that a copy of the card contains no hidden character.
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

/** A title of the service, as `shown`, except that it keeps the narrow spaces of French punctuation. */
export function shownTitle(view: View, title: string): unknown {
  return title.split(/(«\u202f|\u202f(?=[»;:!?]))/).map((part, at) => (at % 2 ? part : shown(view, part)))
}
