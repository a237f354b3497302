import { html, render } from 'lit'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { lazy } from '../../web/chat/lazy.ts'

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
})

/** A part whose first fetches get lost. */
function lostFor(times: number) {
  const fetched = { times: 0 }
  const part = lazy(async () => {
    if (++fetched.times <= times) throw new TypeError('Failed to fetch')
    return (_: { requestUpdate(): void }, word: string) => html`<b>${word}</b>`
  })
  return { part, fetched }
}

const view = { requestUpdate: () => undefined }

test('a part that got lost on its way fills the place where it was drawn, although that is not drawn again', async () => {
  const { part, fetched } = lostFor(2)
  const place = document.createElement('div')
  render(html`${part(view, 'Here')}`, place)
  await vi.advanceTimersByTimeAsync(0)
  expect(place.textContent).toBe('')

  await vi.advanceTimersByTimeAsync(60_000)

  expect([fetched.times, place.textContent]).toEqual([3, 'Here'])
})

test('a part that nothing shows yet is not fetched again before something does', async () => {
  const { part, fetched } = lostFor(1)
  await part.load()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(fetched.times).toBe(1)

  const place = document.createElement('div')
  render(html`${part(view, 'Here')}`, place)
  await vi.advanceTimersByTimeAsync(0)

  expect([fetched.times, place.textContent]).toEqual([2, 'Here'])
})
