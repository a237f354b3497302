import type { Actor } from '../../core/base/actor.ts'
import { type Change, differing, planPut } from '../../core/cms/change.ts'
import type { Cms, Done, Put, PutAnswer, RealPut } from '../../core/cms/cms.ts'
import { type PutPreview, previewChange } from '../../core/cms/preview.ts'

/** What a change would do, without the put that does it. */
export async function showChange(
  cms: Cms,
  actor: Actor,
  change: Change,
  earlier: Change[] = [],
): Promise<Omit<PutPreview, 'put' | 'after'>> {
  const { put: _, after: __, ...shown } = await previewChange(cms, actor, change, earlier)
  return shown
}

/** Makes a change with the put that core works out, and answers whole how that ended. */
export async function putChange(
  cms: Cms,
  actor: Actor,
  change: Change | Put,
  options: Omit<RealPut, 'put'>,
): Promise<PutAnswer> {
  const { put } = 'remove' in change ? { put: change as Put } : await planPut(cms, actor, change)
  return cms.put(actor, { ...options, put })
}

/** How a change ended: of one that was made, the record with its version and the fields that differ. */
export async function makeChange(
  cms: Cms,
  actor: Actor,
  change: Change | Put,
  options: Omit<RealPut, 'put'>,
) {
  return brief(await putChange(cms, actor, change, options))
}

/** An answer without the records. */
export function brief(answer: PutAnswer) {
  if (answer.state !== 'done') return answer
  const { state, table, uid, version } = answer
  return { state, table, uid: Number(uid), version, changed: changedIn(answer) }
}

/** The names of the fields that a put changed. */
export const changedIn = ({ before, after }: Done): string[] =>
  after.record ? differing(before?.record, after.record) : []

/** The put of a CMS with another way of making: what is only shown, the CMS shows. */
export const making = (
  cms: Cms,
  make: (actor: Actor, asked: RealPut) => Promise<PutAnswer>,
): Pick<Cms, 'put'> => ({
  put: (actor, asked) => ('dry' in asked ? cms.put(actor, asked) : make(actor, asked)),
})
