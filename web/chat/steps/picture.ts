import { html, nothing, type TemplateResult } from 'lit'
import { until } from 'lit/directives/until.js'
import type { PictureAnswer } from '../../../core/chat/composing-request.ts'
import type { ToolStep } from '../store/steps.ts'
import type { ChatStore } from '../store/store.ts'
import type { View } from '../view/view.ts'

type Place = { table: string; uid: number | string }

/** What is drawn of a picture once the stage has answered; the same promise each time, so that nothing is drawn again. */
const known = new WeakMap<ChatStore, Map<string, Promise<unknown>>>()

/**
 * The picture of the site that a step looked at: shown small, it opens large. The stage asks the CMS for it as this user at
 * this moment: nothing is drawn where they may not see it any more.
 */
export function seenPicture(view: View, step: ToolStep, name: string): unknown {
  const place = step.tool === 'view_image' && step.outcome === 'done' ? placeOf(step.arguments) : undefined
  if (!place || !view.store) return nothing
  const pictures = known.get(view.store) ?? new Map<string, Promise<unknown>>()
  known.set(view.store, pictures)
  const key = `${place.table}:${place.uid}`
  const drawn = pictures.get(key) ?? draw(view, view.store, place, name)
  pictures.set(key, drawn)
  return until(drawn, nothing)
}

function placeOf({ table, uid }: Record<string, unknown>): Place | undefined {
  const isId = typeof uid === 'number' || typeof uid === 'string'
  return typeof table === 'string' && isId ? { table, uid } : undefined
}

async function draw(view: View, store: ChatStore, { table, uid }: Place, name: string): Promise<unknown> {
  const picture = await store.api.get<PictureAnswer>('/picture', { table, uid }).catch(() => null)
  return picture ? small(view, picture, name) : nothing
}

function small({ ui }: View, { mimeType, base64 }: PictureAnswer, name: string): TemplateResult {
  const url = `data:${mimeType};base64,${base64}`
  const file = { fileUid: 0, name, mimeType, size: Math.floor((base64.length * 3) / 4), url }
  return html`<button
    class="step-picture"
    type="button"
    aria-label=${name}
    title=${name}
    @click=${() => ui.set({ dialog: 'picture', picture: file })}
  >
    <img src=${url} alt="" decoding="async" />
  </button>`
}
