import type { Actor } from '../../base/actor.ts'
import type { Site } from './site.ts'

/** A look in use is shared for so long at most, in milliseconds; an operation of its own after that looks again. */
const mostMs = 2_000

type Look = { site: Promise<Site>; at: number; uses: number }

/**
 * Looks at the site that operations share: those asked in the same moment, and those that follow one another without
 * anything else awaited between them, as the reads of one tool call do. Nothing is kept beyond the last of them.
 */
export class Looks {
  readonly #of = new WeakMap<Actor, Look>()

  /** Acts on a look that is under way for this actor, or on a new one, which `open` makes. `now` in milliseconds. */
  async share<T>(
    actor: Actor,
    now: number,
    open: () => Promise<Site>,
    act: (site: Site) => T | Promise<T>,
  ): Promise<T> {
    const begun = this.#of.get(actor)
    const look = begun && now - begun.at < mostMs ? begun : { site: open(), at: now, uses: 0 }
    this.#of.set(actor, look)
    look.uses++
    try {
      return await act(await look.site)
    } finally {
      look.uses--
      // A caller asks its next question before `setImmediate` runs.
      if (look.uses === 0) setImmediate(() => this.#end(actor, look))
    }
  }

  /** Makes the next operation of the actor look at the site again. */
  forget(actor: Actor): void {
    this.#of.delete(actor)
  }

  #end(actor: Actor, look: Look): void {
    if (look.uses === 0 && this.#of.get(actor) === look) this.#of.delete(actor)
  }
}
