import type { Key } from '../../../core/base/languages/sentence.ts'
import type { MentionsAnswer, PromptsAnswer } from '../../../core/chat/request.ts'
import type { Mention } from '../../../core/conversation/schema.ts'
import type { Icon } from '../icon.ts'
import { insert } from '../prompts/insert.ts'
import type { PicturePlace } from '../view/media.ts'
import type { View } from '../view/view.ts'
import { choose, signOf, wordOf } from './chips.ts'

/**
 * An entry of the list; `take` runs its action, with the place of the sign in the message. An entry with a picture has
 * its address once the entry was in view.
 */
export type Choice = {
  sign: Icon
  title: string
  note: string
  picture?: PicturePlace
  url?: string
  take(view: View, at: number | null): void
}

/** The answers that an open list keeps. */
export type Kept = { prompts?: PromptsAnswer | undefined }

/** The source of a list, and its labels. */
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

/** Prompts are few: all are asked for once, and those with the words in their title or text are shown. */
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

/** The sources of the lists for a message. */
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
