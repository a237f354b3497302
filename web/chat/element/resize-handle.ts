import { html, type TemplateResult } from 'lit'
import type { Translate } from '../i18n/i18n.ts'
import type { Memory } from '../store/storage.ts'

/** A panel with a variable height. */
type Resizable = HTMLElement & {
  readonly t: Translate
  readonly size: Memory['size']
  readonly share: number
  readonly workHeight: number
  requestUpdate(): void
  resize(size: Memory['size'], share?: number): void
}

const step = 0.05

/**
 * The distance in pixels between the pointer and the edge during a drag: it stays the same, so that the edge does not
 * jump to the pointer.
 */
let heldPx = 0

/** Draws the handle at the upper edge; the user drags it or moves it with keys. */
export function resizeHandle(panel: Resizable): TemplateResult {
  const fixed = panel.size === 'full' ? 1 : 0.5
  const now = panel.size === 'custom' ? panel.share : fixed
  const to = (share: number) => panel.resize('custom', share)
  const pressed = (event: KeyboardEvent) => {
    // The panel may be higher than its share, because a proposal needs more height.
    const high = Number.parseFloat(panel.style.getPropertyValue('--aic-panel-height')) / panel.workHeight
    const share = {
      ArrowUp: high + step,
      ArrowDown: high - step,
      PageUp: high + step * 4,
      PageDown: high - step * 4,
      Home: 0.2,
      End: 1,
    }[event.key]
    if (share === undefined) return
    event.preventDefault()
    to(share)
  }
  const dragged = (event: PointerEvent) => {
    const handle = event.currentTarget as HTMLElement
    if (event.type === 'pointerdown') {
      handle.setPointerCapture(event.pointerId)
      heldPx = event.clientY - panel.getBoundingClientRect().top
      panel.toggleAttribute('data-dragged', true)
      event.preventDefault()
      return
    }
    if (!handle.hasPointerCapture(event.pointerId)) return
    if (event.type !== 'pointermove') {
      handle.releasePointerCapture(event.pointerId)
      panel.toggleAttribute('data-dragged', false)
      return
    }
    const bottom = panel.getBoundingClientRect().bottom
    to((bottom - event.clientY + heldPx) / panel.workHeight)
  }
  return html`<div class="grip" role="separator" aria-orientation="horizontal"
      aria-label=${panel.t('panel.height')} aria-valuemin="20" aria-valuemax="100"
      aria-valuenow=${Math.round(now * 100)} tabindex="0" @keydown=${pressed} @pointerdown=${dragged}
      @pointermove=${dragged} @pointerup=${dragged} @pointercancel=${dragged}
      @dblclick=${() => panel.resize('half')}></div>`
}
