import { lazy } from '../lazy.ts'
import type { View } from '../view/view.ts'

/** The messages that wait for the end of the turn, loaded with the first of them. */
export const next = lazy<View, []>(async () => (await import('./next.ts')).next)

/** Puts what is written behind the turn that runs. */
export async function add(view: View): Promise<void> {
  const part = await import('./next.ts')
  await part.addWritten(view)
}

/** Hands what is written, or else the first message that waits, to the turn that runs. */
export async function hand(view: View): Promise<void> {
  const part = await import('./next.ts')
  await part.handFirst(view)
}
