import type { Actor } from '../../core/base/actor.ts'

/** An editor, with what the test says of them. */
export function actor(over: Partial<Actor> = {}): Actor {
  return { uid: 2, username: 'editor', name: 'Editor', isAdmin: false, groups: [1], lang: 'en', ...over }
}
