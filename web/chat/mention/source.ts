import type { Key } from '../../../core/base/languages/sentence.ts'
import type { MentionsAnswer, PromptsAnswer } from '../../../core/chat/request.ts'
import type { Mention } from '../../../core/conversation/schema.ts'
import type { Icon } from '../icon.ts'
import { insert } from '../prompts/insert.ts'
import type { PicturePlace } from '../view/media.ts'
import type { View } from '../view/view.ts'
import { choose, signOf, wordOf } from './chips.ts'

/**
 * An entry of the list. `take` runs its action with the position of the typed sign in the message. `url` is the address
 * of the entry's picture after the entry was in view.
 */
export type Choice = {
  sign: Icon
  title: string
  note: string
  picture?: PicturePlace
  url?: string
  take(view: View, at: number | null): void
}

/** The answers that an open list keeps for further queries. */
export type Kept = { prompts?: PromptsAnswer | undefined }

/** The labels of a list, and the function that finds its entries. */
export type Source = {
  label: Key
  found: Key
  none: Key
  empty: Key
  failed: Key
  look(view: View, query: string, signal: AbortSignal, kept: Kept): Promise<Choice[]>
}

const site = (kind?: 'file') => ({
  found: 'mention.found' as const,
  none: 'mention.none' as const,
  empty: 'mention.type' as const,
  failed: 'mention.failed' as const,
  look: async (view: View, query: string, signal: AbortSignal): Promise<Choice[]> => {
    const { store, context } = view
    const asked = {
      query: [...query].slice(0, 100).join(''),
      ...(kind && { kind }),
      ...(context && context.pageId !== 0 && !context.table && { page: context.pageId }),
    }
    const answer = await store.api.get<MentionsAnswer>('/mentions', asked, signal)
    return answer.mentions.map((it) => choiceOf(view, it))
  },
})

const choiceOf = (view: View, it: Mention): Choice => ({
  sign: signOf(it),
  title: it.title,
  note: `${wordOf(view, it)} [${it.uid}]`,
  ...(it.kind === 'file' && { picture: it }),
  take: () => choose(view, it),
})

/** There are few prompts: all are loaded once, then filtered by the query in title or text. */
async function lookForPrompts(view: View, query: string, signal: AbortSignal, kept: Kept): Promise<Choice[]> {
  const { store, context, t } = view
  const asked = context ? { module: context.module } : {}
  kept.prompts ??= await store.api.get<PromptsAnswer>('/prompts', asked, signal)
  const { own, shared } = kept.prompts
  const all = [
    ...own.map((prompt) => ({ ...prompt, note: t('prompts.own'), sign: 'user' as const })),
    ...shared.map((prompt) => ({ ...prompt, note: t('prompts.shared'), sign: 'list' as const })),
  ]
  const words = query.toLowerCase()
  return all
    .filter(({ title, text }) => `${title}\n${text}`.toLowerCase().includes(words))
    .map(({ title, text, note, sign }) => ({
      sign,
      title,
      note,
      take: (view, at) => insert(view, { title, text }, at),
    }))
}

/** The sources of the lists that open from a message. */
export const sources: Record<'mention' | 'file' | 'prompt', Source> = {
  mention: { label: 'mention.search', ...site() },
  file: { label: 'mention.searchFiles', ...site('file') },
  prompt: {
    label: 'prompts.search',
    found: 'prompts.found',
    none: 'prompts.none',
    empty: 'prompts.empty',
    failed: 'prompts.failed',
    look: lookForPrompts,
  },
}
